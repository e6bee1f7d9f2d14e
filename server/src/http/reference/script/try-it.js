/** Sends requests to this portal. The key is in the fields of this page and nowhere else. */
{
  for (const part of document.querySelectorAll('.try')) {
    part.hidden = false
    const form = part.querySelector('form')
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      void send(part, form)
    })
    form.elements.key.addEventListener('input', ({ target }) => {
      for (const other of document.querySelectorAll('.try input[name="key"]')) other.value = target.value
    })
  }

  async function send({ dataset }, form) {
    const answer = form.querySelector('.answer')
    const button = form.querySelector('button')
    const key = form.elements.key.value.trim()
    const url = new URL(dataset.path, location.origin)
    for (const { name, value, dataset: at } of form.querySelectorAll('input[data-in]')) {
      if (at.in === 'path')
        url.pathname = url.pathname.replace(encodeURI(`{${name}}`), encodeURIComponent(value.trim()))
      else if (value !== '') url.searchParams.set(name, value.trim())
    }
    const body = form.elements.body?.value
    const headers = { authorization: `${key.startsWith('portico_bot_') ? 'Bot' : 'Bearer'} ${key}` }
    if (body !== undefined) headers['content-type'] = 'application/json'
    button.disabled = true
    try {
      const response = await fetch(url, { method: dataset.method, headers, body, credentials: 'omit' })
      show(answer, String(response.status), await response.text())
    } catch (error) {
      show(answer, '', `The request was not sent: ${error.message}`)
    } finally {
      button.disabled = false
    }
  }

  function show(answer, status, text) {
    const badge = document.createElement('span')
    badge.className = `status s${status[0]}`
    badge.textContent = status
    const code = document.createElement('pre')
    code.textContent = indented(text)
    answer.replaceChildren(...(status ? [badge] : []), code)
  }

  function indented(text) {
    try {
      return JSON.stringify(JSON.parse(text), null, 2)
    } catch {
      return text
    }
  }
}
