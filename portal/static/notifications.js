// Phones show notifications of service workers only. A worker outlives the page: it receives pushes while the portal is
// closed, and a click always leads to the room.
const OF_THE_PORTAL = /^\/((c|explore|apps|settings|administration)(\/|$)|$)/
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
