import { expect, test, vi } from 'vitest'
import { push } from './push.svelte.ts'

/** The calls of the push service, in order. */
const calls = vi.hoisted((): string[] => [])

vi.mock('./notifications.svelte.ts', () => ({ notifications: { supported: true, allowed: true, allow: () => true } }))
vi.mock('./push-subscription.ts', () => ({
  subscribeToPush: async () => {
    await new Promise((resolve) => setTimeout(resolve, 50))
    calls.push('subscribe')
  },
  unsubscribeFromPush: async () => void (await Promise.resolve(calls.push('unsubscribe'))),
}))

test('turning push off ends a subscription that is being renewed at that moment', async () => {
  await push.turn(true)
  calls.length = 0
  const renewed = push.renew()
  await push.turn(false)
  await renewed
  expect(calls).toEqual(['subscribe', 'unsubscribe'])
  expect(push.on).toBe(false)
})
