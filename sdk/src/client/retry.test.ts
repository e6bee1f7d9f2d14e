import { describe, expect, test } from 'vitest'
import { channelFixture } from '../../../server/test/channel-fixture.ts'
import { Client, ConnectionError, QuotaError, TimeoutError } from '../index.ts'

/** A client whose connection fails at the given attempts. */
async function unreliable(fail: (attempt: number, send: () => Promise<Response>) => Promise<Response>) {
  const { server, bots, channel, room } = await channelFixture({ bots: 1 })
  let attempts = 0
  const client = new Client({
    url: server.url,
    key: bots[0].key,
    retries: 2,
    fetch: (input, init) => fail((attempts += 1), () => fetch(input, init)),
  })
  const place = { channelId: channel.id, roomId: room.id }
  const texts = async () =>
    (await new Client({ url: server.url, key: bots[0].key }).listMessages(place)).messages.map(({ text }) => text)
  return { client, place, texts, attempts: () => attempts }
}

function refusal(status: number, headers: Record<string, string> = {}): Response {
  const body = { status: 'error', error: 'Error', message: 'Not now.', ...(status === 429 && { retryAfterSec: 1 }) }
  return Response.json(body, { status, headers })
}

describe('a message', () => {
  test('is sent once although its response was lost', async () => {
    const { client, place, texts, attempts } = await unreliable(async (attempt, send) => {
      const response = await send()
      if (attempt === 1) throw new TypeError('fetch failed')
      return response
    })
    const sent = await client.sendMessage({ ...place, text: 'once' })
    expect(attempts()).toBe(2)
    expect(await texts()).toEqual(['once'])
    expect((await client.listMessages(place)).messages[0]?.id).toBe(sent.id)
  })

  test('keeps its place among others when it is repeated', async () => {
    const { client, place, texts } = await unreliable(async (attempt, send) => (attempt === 2 ? refusal(504) : send()))
    await Promise.all(['one', 'two', 'three'].map((text) => client.sendMessage({ ...place, text })))
    expect(await texts()).toEqual(['three', 'two', 'one'])
  })
})

describe('a call', () => {
  test('waits as long as a 429 asks for, and is repeated', async () => {
    const { client, attempts } = await unreliable(async (attempt, send) =>
      attempt === 1
        ? refusal(429, { 'retry-after': '1', 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '0' })
        : send(),
    )
    const before = performance.now()
    await client.getProfile()
    expect(performance.now() - before).toBeGreaterThanOrEqual(999)
    expect(attempts()).toBe(2)
  })

  test.each([
    ['QuotaError', QuotaError, async () => refusal(429, { 'retry-after': '0' })],
    ['TimeoutError', TimeoutError, async () => refusal(504)],
    ['ConnectionError', ConnectionError, async () => new Response('<html>', { status: 502 })],
    ['ConnectionError', ConnectionError, async () => Promise.reject(new TypeError('fetch failed'))],
  ])('fails with %s if it keeps failing', async (_, kind, answer) => {
    const { client, attempts } = await unreliable(answer)
    await expect(client.getProfile()).rejects.toBeInstanceOf(kind)
    expect(attempts()).toBe(3)
  })

  test('isn’t repeated if something else than a portal answers', async () => {
    const { client, attempts } = await unreliable(async () => new Response('<html>', { status: 404 }))
    await expect(client.getProfile()).rejects.toThrow('Check the address')
    expect(attempts()).toBe(1)
  })
})
