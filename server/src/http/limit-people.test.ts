import { LIMITS, RATE_LIMITS, type Room } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import type { Answer } from '../../test/person.ts'
import { expectOk, portal, channelFixture } from '../../test/channel-fixture.ts'

/** A tenth of everything, so that the limits are met soon. */
await portal({ RATE_LIMIT_FACTOR: '0.1', TRUSTED_PROXIES: '127.0.0.1' })

const most = (limit: keyof typeof RATE_LIMITS): number => Math.floor(RATE_LIMITS[limit] / 10)

/** The statuses of so many requests at once, and one of those that were refused. */
async function many(count: number, ask: (nth: number) => Promise<Answer>) {
  const answers = await Promise.all(Array.from({ length: count }, (_, nth) => ask(nth)))
  const refused = answers.filter(({ status }) => status === 429)
  return { accepted: answers.length - refused.length, refused: refused[0] }
}

const expectWait = (refused: Answer | undefined): void => {
  if (!refused) throw new Error('nothing was refused')
  expect(refused.body).toMatchObject({ status: 'error', reason: 'too_fast', retryAfterSec: expect.any(Number) })
  const { retryAfterSec } = refused.body as { retryAfterSec: number }
  expect(refused.headers.get('retry-after')).toBe(String(retryAfterSec))
  expect(retryAfterSec).toBeGreaterThan(0)
  expect(retryAfterSec).toBeLessThanOrEqual(LIMITS.quotaWindow)
}

describe('a person', () => {
  test('sends no more than so many messages a minute, in all rooms together, and others are not affected', async () => {
    const { owner, people, room, newRoom } = await channelFixture({ people: 1 })
    const rooms: Pick<Room, 'id'>[] = [room, await newRoom('text')]
    const send = (nth: number) =>
      owner.post(`/rooms/${rooms[nth % 2]?.id}/messages`, { channelId: room.channelId, text: `${nth}` })
    const { accepted, refused } = await many(most('personSends') + 14, send)
    expect(accepted).toBe(most('personSends'))
    expectWait(refused)
    // What they read is not limited by what they write.
    expectOk(await owner.get(`/rooms/${room.id}/messages?channelId=${room.channelId}`))
    expectOk(await people[0].post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text: 'mine' }))
  })

  test('searches and changes no more than so much a minute', async () => {
    const { people, at, channel } = await channelFixture({ people: 2 })
    const [searcher, editor] = people
    const searched = await many(most('personSearches') + 1, () => searcher.get(`${at}/search?q=word`))
    expect(searched.accepted).toBe(most('personSearches'))
    expectWait(searched.refused)
    const changed = await many(most('personChanges') + 1, (nth) =>
      editor.put(`/channels/${channel.id}/members/${editor.id}/nickname`, { nickname: `Nick ${nth}` }),
    )
    // Joining was one.
    expect(changed.accepted).toBe(most('personChanges') - 1)
    expectWait(changed.refused)
  })
})

describe('an address', () => {
  test('is refused when it sends too much, signed in or not, and by the /64 of IPv6', async () => {
    const { owner } = await channelFixture()
    const from = (address: string) => owner.request('GET', '/instance', undefined, { 'x-forwarded-for': address })
    const { accepted, refused } = await many(most('addressRequests') + 1, (nth) => from(`2001:db8::${(nth % 9) + 1}`))
    expect(accepted).toBe(most('addressRequests'))
    expectWait(refused)
    expect((await from('2001:db8:0:1::1')).status).not.toBe(429)
  })
})
