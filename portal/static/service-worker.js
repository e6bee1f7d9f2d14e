// The shell: what opens without a connection. Filled in by the build, empty while developing.
const SHELL = { version: '', files: [] }
const CACHE = `portico.shell.${SHELL.version}`
const PAGE = '/'
const BUILT_FILES = '/_app/immutable/'
const BUILT_FILE = /\/_app\/immutable\/[\w./-]+/g
const OF_THE_PORTAL = /^\/((c|explore|apps|settings|administration)(\/|$)|$)/
const FOR_VISITORS = /^\/(sign-in|sign-up|forgot-password|reset-password|invite)(\/|$)/
/** A connection on which nothing is answered for so long is treated as none. */
const LONGEST_MS = 4000
/** Longer, because there is nothing else to show. */
const LONGEST_FILE_MS = 20_000

// A new version replaces the one before without waiting for its pages: they keep the files that they have loaded.
addEventListener('install', () => skipWaiting())

// Not stored while installing: a slow connection would delay notifications.
let storing
addEventListener('message', (event) => {
  if (event.data !== 'store-shell' || SHELL.files.length === 0) return
  storing ??= storeShell().finally(() => (storing = undefined))
  event.waitUntil(storing)
})

async function storeShell() {
  const cache = await caches.open(CACHE)
  if (await cache.match(PAGE)) return
  const page = await fetch(PAGE, { cache: 'no-cache', credentials: 'omit' })
  const needed = (await page.clone().text()).match(BUILT_FILE) ?? []
  // While a cluster is upgraded, another node may answer with the page of another version. The next page tries again.
  if (!page.ok || !needed.every((file) => SHELL.files.includes(file))) return
  await cache.addAll(SHELL.files)
  // Last, because it makes the shell complete.
  await cache.put(PAGE, page)
  const others = (await caches.keys()).filter((name) => name !== CACHE)
  await Promise.all(others.map((name) => caches.delete(name)))
}

// Pages come from the server whenever it answers, so a new version takes effect with the next page. Only the files of the
// build are stored: nothing that people write or upload.
addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (request.method !== 'GET' || origin !== location.origin) return
  if (request.mode === 'navigate') {
    if (OF_THE_PORTAL.test(pathname) || FOR_VISITORS.test(pathname)) event.respondWith(openPage(request))
  } else if (pathname.startsWith(BUILT_FILES)) event.respondWith(openFile(request, pathname))
})

async function openPage(request) {
  const answer = fetch(request)
  const late = new Promise((resolve) => setTimeout(resolve, LONGEST_MS))
  const response = await Promise.race([answer, late]).catch(() => undefined)
  // Proxies answer like this while the server restarts.
  if (response && ![502, 503, 504].includes(response.status)) return response
  return (await fromShell(PAGE)) ?? answer
}

/** A file has a hash in its name and never changes. */
async function openFile(request, pathname) {
  return (await fromShell(pathname)) ?? fetchFile(request)
}

/** Gives up, because a browser opens only a few connections, and files that hang would block everything else. */
async function fetchFile(request) {
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(), LONGEST_FILE_MS)
  try {
    return await fetch(request, { signal: limit.signal })
  } finally {
    clearTimeout(timer)
  }
}

/** Until this version is stored, the page and the files of the one before are used. */
async function fromShell(path) {
  return (
    (await caches.match(path, { cacheName: CACHE, ignoreVary: true })) ??
    (await caches.match(path, { ignoreVary: true }))
  )
}

// Phones show notifications of service workers only. A worker outlives the page: it receives pushes while the portal is
// closed, and a click always leads to the room.
const SUBSCRIPTION = '/portal/v1/push-subscription'

// What the server encrypts, see `server/src/push/push-text.ts`. Browsers require a notification for every push.
addEventListener('push', (event) => {
  event.waitUntil(show(event.data.json()))
})

async function show({ title, body, lang, tag, path, silent, badge }) {
  const icon = '/icons/portico-192.png'
  await registration.showNotification(title, { body, lang, tag, silent, icon, data: { path } })
  await navigator.setAppBadge?.(badge)
}

addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(openAt(event.notification.data.path))
})

async function openAt(path) {
  const windows = await clients.matchAll({ type: 'window', includeUncontrolled: true })
  const known = windows.find(({ url }) => OF_THE_PORTAL.test(new URL(url).pathname))
  if (!known) return clients.openWindow(path)
  known.postMessage({ open: path }, [])
  return known.focus()
}

// The push service has replaced the address. If the session has ended meanwhile, nothing is to be renewed.
addEventListener('pushsubscriptionchange', (event) => {
  event.waitUntil(renew())
})

async function renew() {
  const answer = await fetch(SUBSCRIPTION)
  if (!answer.ok) return
  const { publicKey, subscribed } = await answer.json()
  if (!subscribed) return
  const renewed = await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey })
  const { endpoint, keys } = renewed.toJSON()
  const locale = navigator.language.startsWith('ru') ? 'ru' : 'en'
  await fetch(SUBSCRIPTION, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ endpoint, ...keys, locale }),
  })
}
