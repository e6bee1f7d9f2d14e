// Runs before the app is loaded.
try {
  // Before the first paint: no white flash for the dark theme, and the right language for screen readers.
  const theme = JSON.parse(localStorage.getItem('portico.theme'))
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
  const locale = JSON.parse(localStorage.getItem('portico.locale'))
  if (locale === 'en' || locale === 'ru') document.documentElement.lang = locale
} catch {
  // Storage is blocked or holds unknown values: the system's settings apply.
}

{
  // The URL of a room says what is needed first. Requested now, the response is there when the app has loaded and takes
  // it over: see src/room-page.
  const ID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
  const place = new RegExp(`^/c/(${ID})/(${ID})(?:/(${ID}))?/?$`).exec(location.pathname)
  if (place) {
    const [, channelId, roomId, aroundId] = place
    const asked = new URLSearchParams({ channelId, roomId, ...(aroundId && { aroundId }) })
    const answer = fetch(`/portal/v1/opening?${asked}`, { credentials: 'same-origin', cache: 'no-store' })
    globalThis.porticoRoomPage = { channelId, roomId, aroundId, answer }
    // Errors are handled by the app, maybe later than they occur.
    answer.catch(() => undefined)
  }

  // Files that a room's page would otherwise request one after another; filled in by the build.
  const PRELOADS = []
  if (place) for (const link of PRELOADS) document.head.append(Object.assign(document.createElement('link'), link))
}
