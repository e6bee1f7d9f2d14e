// Runs before anything else of the portal is there.
try {
  // Before the first paint: who chose dark is not flashed white, and a screen reader hears the right language.
  const theme = JSON.parse(localStorage.getItem('portico.theme'))
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
  const locale = JSON.parse(localStorage.getItem('portico.locale'))
  if (locale === 'en' || locale === 'ru') document.documentElement.lang = locale
} catch {
  // Storage is blocked or holds something foreign: the system's choice stands.
}

{
  // The address of a room says what will be needed first. Asked for now, the answer is there when the program is, which
  // takes it from here: see src/room-page.
  const ID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
  const place = new RegExp(`^/c/(${ID})/(${ID})(?:/(${ID}))?/?$`).exec(location.pathname)
  if (place) {
    const [, channelId, roomId, aroundId] = place
    const asked = new URLSearchParams({ channelId, roomId, ...(aroundId && { aroundId }) })
    const answer = fetch(`/portal/v1/opening?${asked}`, { credentials: 'same-origin', cache: 'no-store' })
    globalThis.porticoRoomPage = { channelId, roomId, aroundId, answer }
    // Looked at by whoever takes it, which may be later than it fails.
    answer.catch(() => undefined)
  }

  // Files of a room's page that it would ask for one after another; the build knows them.
  const AHEAD = []
  if (place) for (const link of AHEAD) document.head.append(Object.assign(document.createElement('link'), link))
}
