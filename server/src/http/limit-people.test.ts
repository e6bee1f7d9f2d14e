import { LIMITS, RATE_LIMITS, type Room } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import type { Answer } from '../../test/person.ts'
import { signInPortal } from '../../test/sign-in-fixture.ts'
import { Website } from '../../test/website.ts'
import { expectOk, portal, channelFixture } from '../../test/channel-fixture.ts'

/** A tenth of every limit, so that tests reach them quickly. */
await portal({ RATE_LIMIT_FACTOR: '0.1', TRUSTED_PROXIES: '127.0.0.1' })

const most = (limit: keyof typeof RATE_LIMITS): number => Math.floor(RATE_LIMITS[limit] / 10)

/** The statuses of this many concurrent requests, and one of the refusals. */
async function many(count: number, ask: (index: number) => Promise<Answer>) {
  const answers = await Promise.all(Array.from({ length: count }, (_, index) => ask(index)))
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
  test('has a limit of messages per minute across all rooms, without affecting others', async () => {
    const { owner, people, room, newRoom } = await channelFixture({ people: 1 })
    const rooms: Pick<Room, 'id'>[] = [room, await newRoom('text')]
    const send = (index: number) =>
      owner.post(`/rooms/${rooms[index % 2]?.id}/messages`, { channelId: room.channelId, text: `${index}` })
    const { accepted, refused } = await many(most('personSends') + 14, send)
    expect(accepted).toBe(most('personSends'))
    expectWait(refused)
    // Reads are not limited by writes.
    expectOk(await owner.get(`/rooms/${room.id}/messages?channelId=${room.channelId}`))
    expectOk(await people[0].post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text: 'mine' }))
  })

  test('has limits of searches and changes per minute', async () => {
    const { people, at, channel } = await channelFixture({ people: 2 })
    const [searcher, editor] = people
    const searched = await many(most('personSearches') + 1, () => searcher.get(`${at}/search?q=word`))
    expect(searched.accepted).toBe(most('personSearches'))
    expectWait(searched.refused)
    const changed = await many(most('personChanges') + 1, (index) =>
      editor.put(`/channels/${channel.id}/members/${editor.id}/nickname`, { nickname: `Nick ${index}` }),
    )
    // Joining was one of them.
    expect(changed.accepted).toBe(most('personChanges') - 1)
    expectWait(changed.refused)
  })
})

describe('a person who uploads', () => {
  test('has a limit of files per minute', async () => {
    const { owner, room } = await channelFixture()
    const upload = () => owner.request('POST', `/rooms/${room.id}/files?name=a.txt`, new Uint8Array([72, 105]))
    const answers: Answer[] = []
    while (answers.length <= most('personUploads')) answers.push(await upload())
    for (const answer of answers.slice(0, -1)) expectOk(answer)
    expectWait(answers.at(-1))
  })
})

describe('an address', () => {
  test('has a limit, signed in or not, counted by /64 for IPv6', async () => {
    const { owner } = await channelFixture()
    const from = (address: string) => owner.request('GET', '/instance', undefined, { 'x-forwarded-for': address })
    const { accepted, refused } = await many(most('addressRequests') + 1, (index) =>
      from(`2001:db8::${(index % 9) + 1}`),
    )
    expect(accepted).toBe(most('addressRequests'))
    expectWait(refused)
    expect((await from('2001:db8:0:1::1')).status).not.toBe(429)
  })
})

describe('websites’ sign-ins', () => {
  test('have a limit for strangers of one network, and one for each person', async () => {
    const { owner, server } = await channelFixture()
    const site = await Website.of(await signInPortal(1), owner)
    const { search } = new URL(site.authorizeUrl())
    const from = async (address: string, cookie = ''): Promise<Answer> => {
      const headers = { 'x-forwarded-for': address, cookie }
      const url = `${server.url}/oauth/authorize${search}`
      const response = await fetch(url, { headers, redirect: 'manual' })
      return { status: response.status, headers: response.headers, body: await response.json().catch(() => null) }
    }
    const { accepted, refused } = await many(most('addressSignIns') + 1, (index) =>
      from(`2001:db8:1::${(index % 9) + 1}`),
    )
    expect(accepted).toBe(most('addressSignIns'))
    expectWait(refused)
    expect((await from('2001:db8:2::1')).status).toBe(303)
    // People behind the same address can still sign in.
    const own = await many(most('personSignIns') + 1, () => from('2001:db8:1::1', owner.cookie))
    expect(own.accepted).toBe(most('personSignIns'))
    expectWait(own.refused)
  })
})
