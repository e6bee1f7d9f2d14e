/** Shows the samples of a request in one language, the same one everywhere. */
{
  const STORED = 'portico-docs-language'
  const groups = [...document.querySelectorAll('.samples')]
  const languages = [...(groups[0]?.querySelectorAll('figure') ?? [])].map(({ dataset }) => dataset.language)
  if (languages.length > 0) {
    for (const group of groups) addTabs(group)
    choose(languages.includes(stored()) ? stored() : languages[0])
  }

  function addTabs(group) {
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

  function choose(language) {
    for (const figure of document.querySelectorAll('.samples figure')) {
      figure.hidden = figure.dataset.language !== language
    }
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
