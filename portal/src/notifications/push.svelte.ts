import { isBoolean, readStored, writeStored } from '#storage/local-storage.ts'
import { notifications } from './notifications.svelte.ts'

/** Belongs to the account: the next person who signs in here decides for themselves. */
const STORED = 'push'

const supported = notifications.supported && 'PushManager' in globalThis
let wanted = $state(readStored(STORED, isBoolean) ?? false)

let last: Promise<void> = Promise.resolve()

/** One change of the subscription waits for the one before: a request that overtakes another would undo it. */
function afterLast(change: () => Promise<void>): Promise<void> {
  const done = last.then(change)
  last = done.catch(() => undefined)
  return done
}

/** Whether this device is notified while the portal is closed, through the push service of its browser. */
export const push = {
  get supported(): boolean {
    return supported
  },
  get on(): boolean {
    return wanted && notifications.allowed
  },
  /** Throws if the browser doesn't reach its push service. */
  async turn(on: boolean): Promise<void> {
    if (on && !(await notifications.allow())) return
    await afterLast(async () => {
      const { subscribeToPush, unsubscribeFromPush } = await import('./push-subscription.ts')
      await (on ? subscribeToPush() : unsubscribeFromPush())
      wanted = on
      writeStored(STORED, on)
    })
  },
  /** Subscribes again if the session, the portal's key or the browser's address has changed. */
  renew(): Promise<void> {
    return afterLast(async () => {
      if (!push.on) return
      const { subscribeToPush } = await import('./push-subscription.ts')
      await subscribeToPush()
    })
  },
}
