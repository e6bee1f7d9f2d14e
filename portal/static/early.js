// Runs before the first paint: who chose dark is not flashed white, and a screen reader hears the right language.
try {
  const theme = JSON.parse(localStorage.getItem('portico.theme'))
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
  const locale = JSON.parse(localStorage.getItem('portico.locale'))
  if (locale === 'en' || locale === 'ru') document.documentElement.lang = locale
} catch {
  // Storage is blocked or holds something foreign: the system's choice stands.
}
