/** The page is complete without scripts. This one adds a filter, copy buttons, and the current place in the contents. */

const contents = document.querySelector('#contents')
const links = [...contents.querySelectorAll('a[href^="#"]')]

contents.addEventListener('click', (event) => {
  if (event.target.closest('a') && contents.matches(':popover-open')) contents.hidePopover()
})

filterContents()
followReading()
if (navigator.clipboard) addCopyButtons()

function filterContents() {
  const field = contents.querySelector('#filter')
  const status = contents.querySelector('.no-match')
  field.closest('.filter').hidden = false

  field.addEventListener('input', () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean)
    for (const section of contents.querySelectorAll('section:not(.found)')) {
      for (const item of section.querySelectorAll('li')) {
        const link = item.querySelector('a')
        const text = `${item.textContent} ${link.title} ${link.hash}`.toLowerCase()
        item.hidden = !words.every((word) => text.includes(word))
      }
      section.hidden = !section.querySelector('li:not([hidden])')
    }
    const none = !contents.querySelector('section:not(.found, [hidden])')
    status.textContent = none ? 'Nothing of that name.' : ''
  })

  field.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') contents.querySelector('li:not([hidden]) a')?.click()
  })

  document.addEventListener('keydown', (event) => {
    const writing = event.target.matches('input, textarea, select')
    if (event.key !== '/' || writing || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    if (getComputedStyle(contents).display === 'none') contents.showPopover()
    field.focus()
  })
}

/** Marks the part of the page that is being read. */
function followReading() {
  const parts = links.map((link) => ({ link, part: document.getElementById(link.hash.slice(1)) }))
  if (parts.length === 0) return
  let current
  const mark = () => {
    const line = Math.min(160, innerHeight / 3)
    const passed = parts.filter(({ part }) => part.getBoundingClientRect().top <= line)
    const next = (passed.at(-1) ?? parts[0]).link
    if (next === current) return
    current?.removeAttribute('aria-current')
    next.setAttribute('aria-current', 'true')
    if (current && getComputedStyle(contents).position === 'sticky') keepInView(next)
    current = next
  }
  let due = false
  addEventListener(
    'scroll',
    () => {
      if (due) return
      due = true
      requestAnimationFrame(() => {
        due = false
        mark()
      })
    },
    { passive: true },
  )
  mark()
}

/** Scrolls the contents alone: `scrollIntoView` would move the page as well. */
function keepInView(link) {
  const { top, bottom } = link.getBoundingClientRect()
  const frame = contents.getBoundingClientRect()
  if (top < frame.top + 64) contents.scrollTop += top - frame.top - 64
  else if (bottom > frame.bottom - 24) contents.scrollTop += bottom - frame.bottom + 24
}

function addCopyButtons() {
  for (const figure of document.querySelectorAll('figure.code')) {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'copy'
    button.textContent = 'Copy'
    button.setAttribute('aria-live', 'polite')
    let timer
    const tell = (text) => {
      button.textContent = text
      clearTimeout(timer)
      timer = setTimeout(() => (button.textContent = 'Copy'), 2000)
    }
    button.addEventListener('click', () => {
      const copied = navigator.clipboard.writeText(figure.querySelector('code').textContent)
      copied.then(
        () => tell('Copied'),
        () => tell('Not allowed'),
      )
    })
    figure.querySelector('figcaption').append(button)
  }
}
