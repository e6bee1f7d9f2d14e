import type { QueryClient } from '@tanstack/svelte-query'
import { hear } from '#live/live.svelte.ts'
import { recall, remember } from '#local-storage.ts'

function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean'
}

const supported = 'Notification' in globalThis && 'serviceWorker' in navigator
let wanted = $state(recall('notifications', isBoolean) ?? false)
let permission = $state(supported ? Notification.permission : 'denied')

async function start(): Promise<void> {
  // All that telling takes is loaded now: after an update the server no longer has what this page is made of.
  const [{ startWorker }] = await Promise.all([import('./service-worker.ts'), import('./notify-mention.ts')])
  await startWorker()
}

/** Whether this browser tells of mentions while its window is elsewhere. Asked for by the person, never by itself. */
export const notifications = {
  get supported(): boolean {
    return supported
  },
  /** The browser was told never to ask again: only its own settings can change that. */
  get refused(): boolean {
    return permission === 'denied'
  },
  get on(): boolean {
    return wanted && permission === 'granted'
  },
  async turn(on: boolean): Promise<void> {
    if (on && permission === 'default') permission = await Notification.requestPermission()
    if (on && permission === 'granted') await start()
    wanted = on && permission === 'granted'
    remember('notifications', wanted)
  },
  /** Tells of mentions as long as it is on. Gives the way to stop. */
  follow(client: QueryClient): () => void {
    // A click on one from before this page was opened comes here too.
    if (notifications.on) void start()
    return hear('message.created', (told) => {
      if (notifications.on) void import('./notify-mention.ts').then(({ tellMention }) => tellMention(client, told))
    })
  },
}
