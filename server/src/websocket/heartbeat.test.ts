import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Bot } from '../../test/bot.ts'
import { RawSocket } from '../../test/raw-socket.ts'
import { Stream } from '../../test/stream.ts'
import { expectOk, portal, channelFixture } from '../../test/channel-fixture.ts'
import { hashSecret } from '../secrets/generated-secret.ts'
import { markKey, mintEventToken } from './event-token.ts'

// The first call configures the server of this file.
beforeAll(async () => void (await portal({ STREAM_PING_SECONDS: '1' })))

async function tokenOf(bot: Bot): Promise<string> {
  return expectOk(await bot.get<{ token: string }>('/events/token')).token
}

/** A token that expires before the default six hours, or has expired already. */
async function tokenFor(bot: Bot, seconds: number): Promise<string> {
  const { server } = await portal()
  const expiresAt = Math.floor(Date.now() / 1000) + seconds
  const claims = { applicationId: bot.application.id, keyMark: markKey(hashSecret(bot.key)), expiresAt }
  return mintEventToken(server.services.secret, claims)
}

async function connected(bot: Bot): Promise<RawSocket> {
  const raw = await RawSocket.open((await portal()).server)
  await raw.ask({ id: 1, connect: { token: await tokenOf(bot) } })
  return raw
}

const pingsOf = ({ frames }: RawSocket): number => frames.filter((frame) => frame === '{}').length

describe('the heartbeat', () => {
  test('10: closes a socket that never sends anything, after a grace period', async () => {
    const { server } = await portal()
    const raw = await RawSocket.open(server)
    const opened = performance.now()
    expect(await raw.closed).toMatchObject({ code: 4000, reason: expect.stringMatching(/^stale/) })
    expect(performance.now() - opened).toBeGreaterThan(15_000)
  })

  test('21, 23, 24: keeps a client that answers pings, and one that sends extra pongs', async () => {
    const { bots } = await channelFixture({ bots: 1 })
    const raw = await RawSocket.open((await portal()).server)
    const { connect } = await raw.ask({ id: 1, connect: { token: await tokenOf(bots[0]) } })
    expect(connect?.ping).toBeGreaterThan(0)
    expect(connect?.pong).toBe(true)
    for (let surplus = 0; surplus < 10; surplus += 1) raw.send({})
    raw.send({}, {}, {})
    await expect.poll(() => pingsOf(raw)).toBeGreaterThan(5)
    expect(await raw.ask({ id: 2, ping: {} })).toMatchObject({ id: 2, ping: {} })
  })

  test('21: closes a client that stops answering, with a code that makes it reconnect', async () => {
    const { bots } = await channelFixture({ bots: 1 })
    const raw = await connected(bots[0])
    await expect.poll(() => pingsOf(raw)).toBeGreaterThan(0)
    raw.answersPings = false
    expect(await raw.closed).toMatchObject({ code: 3012, reason: 'no pong' })
  })

  test('22: sends pings even during a continuous flow of events', async () => {
    const { bots, owner, room } = await channelFixture({ bots: 1 })
    const raw = await connected(bots[0])
    await raw.ask({ id: 2, subscribe: { channel: 'events' } })
    const at = `/rooms/${room.id}/messages`
    let quiet = 0
    for (const until = performance.now() + 8000; performance.now() < until;) {
      const before = pingsOf(raw)
      const started = performance.now()
      while (pingsOf(raw) === before && performance.now() < until) {
        expectOk(await owner.post(at, { channelId: room.channelId, text: 'on and on' }))
        // Many a second are a flow; as many as possible would take the machine from other tests.
        await sleep(10)
      }
      quiet = Math.max(quiet, performance.now() - started)
    }
    const { connect } = JSON.parse(raw.frames[0] ?? '') as { connect: { ping: number } }
    // The announced ping interval, plus the client's own tolerance.
    expect(quiet).toBeLessThan((connect.ping + 10) * 1000)
    expect(raw.frames.length - pingsOf(raw)).toBeGreaterThan(10)
    expect(pingsOf(raw)).toBeGreaterThan(1)
  })
})

describe('expiring tokens', () => {
  test('14: an official client with an expired first token fetches another one, once', async () => {
    const { server, bots } = await channelFixture({ bots: 1 })
    const tokens = [await tokenFor(bots[0], -5)]
    let requests = 0
    const stream = await Stream.with(server, async () => {
      requests += 1
      return tokens.shift() ?? tokenOf(bots[0])
    })
    expect(requests).toBe(2)
    expect(stream.errors.map(({ error }) => error.code)).toEqual([109])
    expect(stream.client.state).toBe('connected')
  })

  test('16: an official client refreshes its token in time and keeps its connection', async () => {
    const { server, bots, owner, room } = await channelFixture({ bots: 1 })
    let requests = 0
    const stream = await Stream.with(server, async () => {
      requests += 1
      return tokenFor(bots[0], 8)
    })
    // Longer than the first token and the grace period together: only a refresh keeps it.
    await expect.poll(() => requests).toBeGreaterThan(3)
    await sleep(26_000)
    expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text: 'still there?' }))
    await stream.first(1)
    expect(stream.clients).toHaveLength(1)
    expect(stream.sockets).toHaveLength(1)
  })

  test('16: a takeover revokes the refreshed token', async () => {
    const { bots } = await channelFixture({ bots: 1 })
    const first = await connected(bots[0])
    const refreshed = await tokenOf(bots[0])
    await first.ask({ id: 2, refresh: { token: refreshed } })
    const second = await connected(bots[0])
    expect(await first.closed).toMatchObject({ code: 3504 })
    const again = await RawSocket.open((await portal()).server)
    expect(await again.ask({ id: 1, connect: { token: refreshed } })).toMatchObject({ error: { code: 106 } })
    expect(await second.ask({ id: 2, ping: {} })).toMatchObject({ id: 2 })
  })

  test('19: a refresh during a database failure is answered with a temporary error, and the client stays', async () => {
    const { server, bots } = await channelFixture({ bots: 1 })
    const raw = await connected(bots[0])
    const token = await tokenOf(bots[0])
    const other = new Client({ connectionString: server.services.config.DATABASE_URL ?? '' })
    await other.connect()
    try {
      await other.query('BEGIN')
      await other.query('LOCK TABLE application_keys IN ACCESS EXCLUSIVE MODE')
      // No response until the query times out.
      raw.send({ id: 2, refresh: { token } })
      expect(await raw.next()).toMatchObject({ id: 2, error: { code: 100, temporary: true } })
      await other.query('COMMIT')
    } finally {
      await other.end()
    }
    expect(await raw.ask({ id: 3, refresh: { token } })).toMatchObject({ id: 3, refresh: { expires: true } })
  })
})
