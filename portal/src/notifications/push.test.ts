import { expect, test, vi } from 'vitest'
import { push } from './push.svelte.ts'

/** What was asked of the push service, in the order in which it was done. */
const asked = vi.hoisted((): string[] => [])

vi.mock('./notifications.svelte.ts', () => ({ notifications: { supported: true, allowed: true, allow: () => true } }))
vi.mock('./push-subscription.ts', () => ({
  subscribeToPush: async () => {
    await new Promise((resolve) => setTimeout(resolve, 50))
    asked.push('subscribe')
  },
  unsubscribeFromPush: async () => void (await Promise.resolve(asked.push('unsubscribe'))),
}))

test('turning push off ends a subscription that is being renewed at that moment', async () => {
  await push.turn(true)
  asked.length = 0
  const renewed = push.renew()
  await push.turn(false)
  await renewed
  expect(asked).toEqual(['subscribe', 'unsubscribe'])
  expect(push.on).toBe(false)
})
