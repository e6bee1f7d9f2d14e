import type { QueryClient } from '@tanstack/svelte-query'
import { subscribe } from '#live/live.svelte.ts'
import { isBoolean, readStored, writeStored } from '#storage/local-storage.ts'

const supported = 'Notification' in globalThis && 'serviceWorker' in navigator
let wanted = $state(readStored('notifications', isBoolean) ?? false)
let permission = $state(supported ? Notification.permission : 'denied')
let blocked = $state(false)

async function start(): Promise<void> {
  // Everything that notifying needs is loaded now: after an update the server no longer has the files of this page.
  const [{ startWorker }] = await Promise.all([import('./service-worker.ts'), import('./notify-message.ts')])
  try {
    await startWorker()
    blocked = false
  } catch (error) {
    blocked = error instanceof DOMException && error.name === 'SecurityError'
    if (!blocked) throw error
  }
}

/** Whether this browser notifies of messages while its window isn't focused. Only ever turned on by the reader. */
export const notifications = {
  get supported(): boolean {
    return supported
  },
  /** The browser won't ask again: only its own settings can change that. */
  get refused(): boolean {
    return permission === 'denied'
  },
  /** The browser allows no service worker here, because it doesn't trust the portal's certificate. */
  get blocked(): boolean {
    return blocked
  },
  get allowed(): boolean {
    return permission === 'granted' && !blocked
  },
  get on(): boolean {
    return wanted && notifications.allowed
  },
  /** Asks the reader, if the browser lets us. Returns whether notifications can be shown. */
  async allow(): Promise<boolean> {
    if (permission === 'default') permission = await Notification.requestPermission()
    if (permission === 'granted') await start()
    return notifications.allowed
  },
  async turn(on: boolean): Promise<void> {
    wanted = on && (await notifications.allow())
    writeStored('notifications', wanted)
  },
  /** Notifies of messages while turned on, by the level of their room. Returns a function that stops. */
  follow(client: QueryClient): () => void {
    // Clicks on notifications from before this page was opened arrive here too.
    if (notifications.on) void start()
    return subscribe('message.created', (event) => {
      if (notifications.on) void import('./notify-message.ts').then(({ notifyMessage }) => notifyMessage(client, event))
    })
  },
}
