// Runs before the app is loaded.
function stored(key) {
  try {
    return JSON.parse(localStorage.getItem(`portico.${key}`))
  } catch {
    // Storage is blocked or holds unknown values: the defaults apply.
    return null
  }
}

{
  // Before the first paint: no white flash for the dark theme, and the right language for screen readers.
  const theme = stored('theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
  const locale = stored('locale')
  if (locale === 'en' || locale === 'ru') document.documentElement.lang = locale
}

{
  // A page without an answer is better than none: after this time the app starts and waits for the answer itself.
  const LONGEST_MS = 1000
  // A connection on which nothing is answered for so long is treated as none.
  const GIVEN_UP_MS = 6000
  // Files that a page would otherwise request one after another; filled in by the build.
  const PRELOADS = { room: [], signIn: [] }
  const ID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
  const preload = (files) => {
    for (const href of files) {
      const link = document.createElement('link')
      if (href.endsWith('.woff2')) Object.assign(link, { as: 'font', crossOrigin: '' })
      const rels = { css: 'stylesheet', js: 'modulepreload', woff2: 'preload' }
      document.head.append(Object.assign(link, { rel: rels[href.split('.').at(-1)], href }))
    }
  }

  const place = new RegExp(`^/(?:c/(${ID})(?:/(${ID})(?:/(${ID}))?)?)?/?$`).exec(location.pathname)
  if (place) {
    // The URL says what is needed first, or the last visit does. Requested now, the response is there when the app has
    // loaded and takes it over: see src/shell/adopt-room-page.ts.
    const [, channelId = stored('channel'), roomId = stored('rooms')?.[channelId], aroundId] = place
    const query = Object.entries({ channelId, roomId, aroundId }).filter(([, id]) => new RegExp(`^${ID}$`).test(id))
    const answer = fetch(`/portal/v1/room-page?${new URLSearchParams(query)}`, {
      credentials: 'same-origin',
      cache: 'no-store',
      signal: AbortSignal.timeout(GIVEN_UP_MS),
    })
    globalThis.porticoRoomPage = { channelId, aroundId, answer }
    // Errors are handled by the app, maybe later than they occur.
    answer.catch(() => undefined)

    const isKnown = query.length > 0
    if (isKnown) preload(PRELOADS.room)
    if (!place[2]) globalThis.porticoStart = openRoom(answer, isKnown).catch(() => undefined)
  } else if (location.pathname === '/sign-in') preload(PRELOADS.signIn)

  /** Gives the page the URL of the room that it is about to show, so that the app starts there. */
  async function openRoom(answer, isPreloaded) {
    let isLate = false
    const late = new Promise((resolve) => setTimeout(resolve, LONGEST_MS)).then(() => (isLate = true))
    const opened = answer.then(async (response) => {
      const page = response.status === 200 ? await response.clone().json() : undefined
      if (isLate) return
      if (page?.place) {
        const { channelId, roomId } = page.place
        history.replaceState(history.state, '', `/c/${channelId}/${roomId}`)
        if (!isPreloaded) preload(PRELOADS.room)
      } else if (response.status === 204 && location.pathname === '/') {
        globalThis.porticoRoomPage = undefined
        history.replaceState(history.state, '', '/sign-in')
        preload(PRELOADS.signIn)
      }
    })
    await Promise.race([opened, late])
  }
}
