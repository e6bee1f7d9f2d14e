/** Shows the samples of a request in one language, the same one everywhere. */
{
  const STORED = 'portico-docs-language'
  const groups = [...document.querySelectorAll('.samples')]
  for (const group of groups) addTabs(group)
  show(stored())

  function addTabs(group) {
    const languages = languagesOf(group)
    for (const figure of group.querySelectorAll('figure')) {
      const title = figure.querySelector('figcaption')
      const tabs = document.createElement('span')
      tabs.className = 'tabs'
      tabs.setAttribute('role', 'group')
      tabs.setAttribute('aria-label', 'Language')
      for (const language of languages) {
        const button = document.createElement('button')
        button.type = 'button'
        button.textContent = language
        button.setAttribute('aria-pressed', String(language === figure.dataset.language))
        button.addEventListener('click', () => {
          choose(language)
          // The pressed button is hidden now; its place is taken by that of the chosen sample.
          group.querySelector('figure:not([hidden]) [aria-pressed="true"]').focus()
        })
        tabs.append(button)
      }
      title.firstChild.replaceWith(tabs)
    }
  }

  function languagesOf(group) {
    return [...group.querySelectorAll('figure')].map(({ dataset }) => dataset.language)
  }

  /** A sample that doesn't have this language is shown in its first one. */
  function show(language) {
    for (const group of groups) {
      const languages = languagesOf(group)
      const shown = languages.includes(language) ? language : languages[0]
      for (const figure of group.querySelectorAll('figure')) figure.hidden = figure.dataset.language !== shown
    }
  }

  function choose(language) {
    show(language)
    try {
      localStorage.setItem(STORED, language)
    } catch {
      // Storage is turned off: the choice ends with the page.
    }
  }

  function stored() {
    try {
      return localStorage.getItem(STORED)
    } catch {
      return null
    }
  }
}
