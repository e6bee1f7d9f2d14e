// Phones show notifications of service workers only. A worker outlives the page, so a click always leads to the room.
const OF_THE_PORTAL = /^\/((c|explore|apps|settings|administration)(\/|$)|$)/

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
