/** Finds sections of all pages. The index is loaded when it is first needed. */
{
  const MOST = 12
  const field = document.querySelector('#filter')
  const section = document.querySelector('.found')
  const list = section.querySelector('ul')
  let index
  let searches = 0

  field.addEventListener('input', () => void search())

  async function search() {
    const number = (searches += 1)
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean)
    if (words.join('').length < 2) return show([])
    index ??= fetch('/docs/search.json').then((response) => response.json())
    const all = await index.catch(() => {
      index = undefined
      return []
    })
    if (number === searches) show(found(all, words))
  }

  /** Sections with all words, those with the words in their title first. */
  function found(all, words) {
    const elsewhere = all.filter(({ url }) => url.split('#')[0] !== location.pathname)
    const has = (text) => words.every((word) => text.toLowerCase().includes(word))
    const inTitle = elsewhere.filter(({ title }) => has(title))
    const inText = elsewhere.filter(({ title, text }) => !has(title) && has(`${title} ${text}`))
    return [...inTitle, ...inText].slice(0, MOST)
  }

  function show(results) {
    section.hidden = results.length === 0
    list.replaceChildren(...results.map(item))
    if (results.length > 0) document.querySelector('.no-match').textContent = ''
  }

  function item({ url, title, page }) {
    const link = document.createElement('a')
    link.href = url
    const where = document.createElement('small')
    where.textContent = page
    link.append(title, where)
    const element = document.createElement('li')
    element.append(link)
    return element
  }
}
