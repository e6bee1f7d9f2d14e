import { api } from '#api/api.ts'
import { locale } from '#texts/locale.svelte.ts'
import { startWorker } from './service-worker.ts'

/** Subscribes this browser, or renews what has changed since: the portal's key, the session or the language. */
export async function subscribeToPush(): Promise<void> {
  const { pushManager } = await startWorker()
  const { publicKey } = await api.getPushSubscription({})
  const known = await pushManager.getSubscription()
  const isCurrent = known !== null && keyOf(known) === publicKey
  if (known && !isCurrent) await known.unsubscribe()
  const subscription = isCurrent
    ? known
    : await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey })
  const { endpoint = '', keys } = subscription.toJSON()
  const { p256dh = '', auth = '' } = keys ?? {}
  await api.setPushSubscription({ endpoint, p256dh, auth, locale: locale.current })
}

export async function unsubscribeFromPush(): Promise<void> {
  await api.deletePushSubscription({})
  await endSubscription()
}

/** Leaves nothing for the next person at this device, neither notifications nor what is still on its way. */
export async function endSubscription(): Promise<void> {
  const worker = await navigator.serviceWorker.getRegistration()
  if (!worker) return
  await (await worker.pushManager.getSubscription())?.unsubscribe()
  for (const notification of await worker.getNotifications()) notification.close()
  await navigator.clearAppBadge?.()
}

/** In base64url, as the server writes it. */
function keyOf({ options }: PushSubscription): string {
  const bytes = new Uint8Array(options.applicationServerKey ?? new ArrayBuffer(0))
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}
