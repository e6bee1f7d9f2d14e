import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import type { Bot } from '../../test/bot.ts'
import { RawSocket, socketUrl } from '../../test/raw-socket.ts'
import { portal, channelFixture } from '../../test/channel-fixture.ts'
import { mintEventToken, markKey } from './event-token.ts'
import { hashSecret } from '../secrets/generated-secret.ts'

async function tokenOf(bot: Bot): Promise<string> {
  const { body } = await bot.get<{ token: string }>('/events/token')
  return body.token
}

/** A socket on which a bot has connected. */
async function connected(bot: Bot): Promise<RawSocket> {
  const raw = await RawSocket.open((await portal()).server)
  await raw.ask({ id: 1, connect: { token: await tokenOf(bot) } })
  return raw
}

describe('the handshake and its frames', () => {
  test('1: answers a connect with a client id, a ping interval and a request for pongs', async () => {
    const { server, bots } = await channelFixture({ bots: 1 })
    const raw = await RawSocket.open(server)
    const reply = await raw.ask({ id: 1, connect: { token: await tokenOf(bots[0]) } })
    expect(reply).toMatchObject({ id: 1, connect: { client: expect.stringMatching(/./), pong: true, expires: true } })
    expect(reply.connect?.ping).toBeGreaterThan(0)
    expect(reply.connect?.ttl).toBeGreaterThan(21_000)
    expect(reply.connect?.ttl).toBeLessThanOrEqual(21_600)
  })

  test('2: accepts an empty subprotocol header, as centrifuge-python sends it', async () => {
    const { server, bots } = await channelFixture({ bots: 1 })
    const raw = await RawSocket.open(server, { 'Sec-WebSocket-Protocol': '' })
    expect(await raw.ask({ id: 1, connect: { token: await tokenOf(bots[0]) } })).toMatchObject({ id: 1, connect: {} })
  })

  test.each([
    ['3: by subprotocol', 'centrifuge-protobuf', ''],
    ['4: by query', undefined, '?cf_protocol=protobuf'],
  ])('%s speaks Protobuf in binary frames', async (_how, protocol, query) => {
    const { server, bots } = await channelFixture({ bots: 1 })
    const token = Buffer.from(await tokenOf(bots[0]))
    const socket = new WebSocket(socketUrl(server) + query, protocol)
    await once(socket, 'open')
    expect(socket.protocol).toBe(protocol ?? '')
    const answered = Promise.withResolvers<[Buffer, boolean]>()
    socket.on('message', (data: Buffer, binary) => answered.resolve([data, binary]))
    const request = Buffer.concat([Buffer.from([0x0a, ...varint(token.length)]), token])
    const command = Buffer.concat([Buffer.from([0x08, 0x07, 0x22, ...varint(request.length)]), request])
    socket.send(Buffer.concat([Buffer.from(varint(command.length)), command]))
    const [reply, binary] = await answered.promise
    expect(binary).toBe(true)
    // One length, then the reply: field 1 (id) is 7, field 5 is the connect result.
    expect(reply[0]).toBe(reply.length - 1)
    expect([reply[1], reply[2], reply[3]]).toEqual([0x08, 0x07, 0x2a])
    socket.close()
  })

  test('5: runs pipelined commands in order, including after a trailing newline', async () => {
    const { server, bots } = await channelFixture({ bots: 1 })
    const raw = await RawSocket.open(server)
    const connect = JSON.stringify({ id: 7, connect: { token: await tokenOf(bots[0]) } })
    raw.socket.send(`${connect}\n{"id":4294967295,"subscribe":{"channel":"events"}}\n`)
    expect(await raw.next()).toMatchObject({ id: 7, connect: {} })
    expect(await raw.next()).toMatchObject({ id: 4_294_967_295, subscribe: { recoverable: true, positioned: true } })
  })

  test('6: answers a pipelined frame with an expired token with one error and closes', async () => {
    const { server, bots } = await channelFixture({ bots: 1 })
    const raw = await RawSocket.open(server)
    const [bot] = bots
    const claims = { applicationId: bot.application.id, keyMark: markKey(hashSecret(bot.key)), expiresAt: 1000 }
    raw.send(
      { id: 1, connect: { token: mintEventToken(server.services.secret, claims) } },
      { id: 2, subscribe: { channel: 'events' } },
    )
    expect(await raw.next()).toMatchObject({ id: 1, error: { code: 109 } })
    const { code } = await raw.closed
    expect(code).toBeLessThan(3500)
    expect(raw.frames).toHaveLength(1)
  })

  test.each([
    ['garbage', 'hello'],
    ['an empty frame', ''],
    ['a list', '[]'],
    ['a negative id', '{"id":-1,"connect":{}}'],
    ['a subscribe before the connect', '{"id":1,"subscribe":{"channel":"events"}}'],
  ])('7, 8: closes on %s with a reason', async (_what, frame) => {
    const { server } = await portal()
    const raw = await RawSocket.open(server)
    raw.socket.send(frame)
    expect(await raw.closed).toMatchObject({ code: 3501, reason: 'bad request' })
  })

  test('8: closes on a second connect, and answers an unknown command', async () => {
    const { bots } = await channelFixture({ bots: 1 })
    const raw = await connected(bots[0])
    expect(await raw.ask({ id: 2, dance: {} })).toMatchObject({ id: 2, error: { code: 108 } })
    raw.send({ id: 3, connect: { token: await tokenOf(bots[0]) } })
    expect(await raw.closed).toMatchObject({ code: 3501 })
  })

  test('9: closes on a frame over 64 KiB and keeps running', async () => {
    const { bots } = await channelFixture({ bots: 2 })
    const other = await connected(bots[1])
    const raw = await connected(bots[0])
    raw.socket.send('x'.repeat(70_000))
    expect(await raw.closed).toMatchObject({ code: 1009 })
    expect(await other.ask({ id: 9, ping: {} })).toMatchObject({ id: 9, ping: {} })
  })

  test('20: accepts every valid handshake, and refuses within the protocol', async () => {
    const { server } = await portal()
    const raw = await RawSocket.open(server, { authorization: 'Bot nonsense', cookie: 'portico=nonsense' })
    raw.send({ id: 1, connect: { token: 'nonsense' } })
    expect(await raw.closed).toMatchObject({ code: 3500, reason: 'invalid token' })
  })
})

describe('tokens', () => {
  test('15: are refused permanently if they are forged or their key was revoked', async () => {
    const { server, bots } = await channelFixture({ bots: 1 })
    const token = await tokenOf(bots[0])
    await bots[0].reissue()
    for (const wrong of ['', 'garbage', `${token}x`, token]) {
      const raw = await RawSocket.open(server)
      raw.send({ id: 1, connect: { token: wrong } })
      expect(await raw.closed).toMatchObject({ code: 3500 })
    }
  })

  test('17: are refreshed by a token of the same application; another one closes the connection', async () => {
    const { server, bots } = await channelFixture({ bots: 2 })
    const [bot, other] = bots
    const claims = { applicationId: bot.application.id, keyMark: markKey(hashSecret(bot.key)) }
    const raw = await connected(bot)
    expect(await raw.ask({ id: 2, refresh: { token: await tokenOf(bot) } })).toMatchObject({
      id: 2,
      refresh: { expires: true },
    })
    raw.send({ id: 3, refresh: { token: mintEventToken(server.services.secret, { ...claims, expiresAt: 1000 }) } })
    expect(await raw.closed).toMatchObject({ code: 3005 })

    const second = await connected(bot)
    second.send({ id: 2, refresh: { token: await tokenOf(other) } })
    expect(await second.closed).toMatchObject({ code: 3500 })
  })

  test('18: close the connection after a grace period when they expire, with a code that makes the client reconnect', async () => {
    const { server, bots } = await channelFixture({ bots: 1 })
    const [bot] = bots
    const raw = await RawSocket.open(server)
    const expiresAt = Math.floor(Date.now() / 1000) + 5
    const claims = { applicationId: bot.application.id, keyMark: markKey(hashSecret(bot.key)), expiresAt }
    const reply = await raw.ask({ id: 1, connect: { token: mintEventToken(server.services.secret, claims) } })
    expect(reply.connect?.ttl).toBeGreaterThanOrEqual(1)
    expect(await raw.closed).toMatchObject({ code: 3005 })
    expect(Date.now() / 1000).toBeGreaterThan(expiresAt)
  })
})

describe('subscriptions', () => {
  test('31: accept the one channel, once, and return a position', async () => {
    const { bots } = await channelFixture({ bots: 1 })
    const raw = await connected(bots[0])
    expect(await raw.ask({ id: 2, subscribe: { channel: 'events:other' } })).toMatchObject({
      id: 2,
      error: { code: 103 },
    })
    expect(await raw.ask({ id: 3, subscribe: { channel: 'events', type: 1 } })).toMatchObject({ error: { code: 108 } })
    expect(await raw.ask({ id: 4, subscribe: { channel: 'events', tf: {} } })).toMatchObject({ error: { code: 107 } })
    const { subscribe } = await raw.ask({ id: 5, subscribe: { channel: 'events', flag: 1, delta: 'fossil' } })
    expect(subscribe).toMatchObject({ recoverable: true, positioned: true, epoch: expect.stringMatching(/./) })
    expect(await raw.ask({ id: 6, subscribe: { channel: 'events' } })).toMatchObject({ id: 6, error: { code: 105 } })
    raw.send({ id: 7, subscribe: { channel: '' } })
    expect(await raw.closed).toMatchObject({ code: 3501 })
  })

  test('35, 36: recover from a position of this log, and report when they cannot', async () => {
    const { bots, owner, room } = await channelFixture({ bots: 1 })
    const raw = await connected(bots[0])
    const { subscribe } = await raw.ask({ id: 2, subscribe: { channel: 'events' } })
    const { epoch = '', offset = 0 } = subscribe ?? {}
    await owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text: 'one' })
    const { push } = await raw.next()
    const at = push?.pub.offset ?? 0

    const ask = async (request: object) => {
      await raw.ask({ id: 3, unsubscribe: { channel: 'events' } })
      return raw.ask({ id: 4, subscribe: { channel: 'events', recover: true, ...request } })
    }
    expect((await ask({ epoch, offset: at })).subscribe).toMatchObject({
      was_recovering: true,
      recovered: true,
      offset: at,
    })
    expect((await ask({ epoch, offset })).subscribe).toMatchObject({ recovered: true, offset })
    expect((await raw.next()).push?.pub.offset).toBe(at)
    const foreign = (await ask({ epoch: 'other', offset: at })).subscribe
    expect(foreign).toMatchObject({ was_recovering: true })
    expect(foreign?.recovered).toBeUndefined()
    expect((await ask({ epoch, offset: at + 1_000_000 })).subscribe?.recovered).toBeUndefined()
    expect(await ask({ epoch: 'other', offset: at, flag: 3 })).toMatchObject({ error: { code: 112 } })
  })

  test('35: recover at most 10,000 events', async () => {
    const { server, bots, room } = await channelFixture({ bots: 1 })
    const raw = await connected(bots[0])
    const { subscribe } = await raw.ask({ id: 2, subscribe: { channel: 'events' } })
    const { epoch = '' } = subscribe ?? {}
    const { rows } = await server.services.database.pool.query<{ seq: string }>(
      `INSERT INTO events (channel_id, room_id, event, audience, body, created_at)
      SELECT $1::uuid, $2::uuid, 'message.created', 'bots', '{}', now() FROM generate_series(1, 10001) RETURNING seq`,
      [room.channelId, room.id],
    )
    server.services.eventLog.wake()
    const last = Number(rows.at(-1)?.seq)
    let offset = 0
    while (offset < last) offset = (await raw.next()).push?.pub.offset ?? 0

    const recover = async (missed: number) => {
      await raw.ask({ id: 3, unsubscribe: { channel: 'events' } })
      const request = { channel: 'events', recover: true, epoch, offset: last - missed }
      return (await raw.ask({ id: 4, subscribe: request })).subscribe
    }
    expect((await recover(10_001))?.recovered).toBeUndefined()
    expect(await recover(10_000)).toMatchObject({ was_recovering: true, recovered: true })
  })

  test('40: carry nothing but events', async () => {
    const { bots } = await channelFixture({ bots: 1 })
    const raw = await connected(bots[0])
    const commands = [
      [{ publish: { channel: 'events', data: {} } }, 103],
      [{ history: { channel: 'events' } }, 108],
      [{ presence: { channel: 'events' } }, 108],
      [{ presence_stats: { channel: 'events' } }, 108],
      [{ rpc: { method: 'm' } }, 108],
      [{ sub_refresh: { channel: 'events', token: 't' } }, 108],
    ] as const
    for (const [command, code] of commands)
      expect(await raw.ask({ id: 5, ...command })).toMatchObject({ id: 5, error: { code } })
    raw.send({})
    expect(await raw.ask({ id: 6, unsubscribe: { channel: 'events' } })).toEqual({ id: 6, unsubscribe: {} })
  })
})

describe('takeover', () => {
  test('27: revokes the token of the old connection, and accepts a new one', async () => {
    const { server, bots } = await channelFixture({ bots: 1 })
    const [bot] = bots
    const old = await tokenOf(bot)
    const first = await RawSocket.open(server)
    await first.ask({ id: 1, connect: { token: old } })
    const second = await connected(bot)
    expect(await first.closed).toMatchObject({ code: 3504, reason: expect.stringMatching(/^[a-z]/) })

    const again = await RawSocket.open(server)
    expect(await again.ask({ id: 1, connect: { token: old } })).toMatchObject({ error: { code: 106 } })
    expect(await second.ask({ id: 2, ping: {} })).toMatchObject({ id: 2 })
    await connected(bot)
    expect(await second.closed).toMatchObject({ code: 3504 })
  })

  test('28: a client that reconnects with its own token is accepted immediately', async () => {
    const { server, bots } = await channelFixture({ bots: 1 })
    const token = await tokenOf(bots[0])
    const half = await RawSocket.open(server)
    await half.ask({ id: 1, connect: { token } })
    const back = await RawSocket.open(server)
    expect(await back.ask({ id: 1, connect: { token } })).toMatchObject({ connect: {} })
    expect(await half.closed).toMatchObject({ code: 3504 })
    expect(await back.ask({ id: 2, ping: {} })).toMatchObject({ id: 2 })
  })

  test('29: one of many concurrent connections stays', async () => {
    const { server, bots } = await channelFixture({ bots: 1 })
    const tokens = await Promise.all(Array.from({ length: 6 }, () => tokenOf(bots[0])))
    const sockets = await Promise.all(tokens.map(() => RawSocket.open(server)))
    await Promise.all(sockets.map((raw, index) => raw.ask({ id: 1, connect: { token: tokens[index] } })))
    const open = () => sockets.filter(({ socket }) => socket.readyState === WebSocket.OPEN)
    while (open().length > 1) await sleep(20)
    expect(await open()[0]?.ask({ id: 2, ping: {} })).toMatchObject({ id: 2, ping: {} })
  })
})

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...varint(value >> 7)]
}
