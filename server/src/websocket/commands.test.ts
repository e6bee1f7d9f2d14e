import { describe, expect, test } from 'vitest'
import type { Bot } from '../../test/bot.ts'
import { ProtobufSocket, type Method } from '../../test/protobuf-socket.ts'
import { RawSocket } from '../../test/raw-socket.ts'
import { Stream } from '../../test/stream.ts'
import { expectOk, portal, channelFixture } from '../../test/channel-fixture.ts'

async function tokenOf(bot: Bot): Promise<string> {
  return expectOk(await bot.get<{ token: string }>('/events/token')).token
}

async function connectedJson(bot: Bot): Promise<RawSocket> {
  const raw = await RawSocket.open((await portal()).server)
  await raw.ask({ id: 1, connect: { token: await tokenOf(bot) } })
  return raw
}

async function connectedProtobuf(bot: Bot): Promise<ProtobufSocket> {
  const socket = await ProtobufSocket.open((await portal()).server)
  await socket.ask(1, 'connect', await tokenOf(bot))
  return socket
}

const TOO_LONG = 'e'.repeat(256)

/** Commands with an id that are refused, with their error codes. `rpc` names no channel. */
const REFUSED: readonly (readonly [Method, string, number])[] = [
  ['subscribe', 'events:other', 103],
  ['subscribe', TOO_LONG, 107],
  ['publish', 'events', 103],
  ['history', 'events', 108],
  ['presence', 'events', 108],
  ['presence_stats', 'events', 108],
  ['rpc', 'method', 108],
  ['sub_refresh', 'events', 108],
  ['dance', 'events', 108],
]

/** Commands that close the connection. */
const CLOSING: readonly (readonly [string, number, Method, string, number])[] = [
  ['a subscribe without a channel', 2, 'subscribe', '', 3501],
  ['an unsubscribe without a channel', 2, 'unsubscribe', '', 3501],
  ['a refresh without a token', 2, 'refresh', '', 3501],
  ['a subscribe without an id', 0, 'subscribe', 'events', 3501],
  ['an rpc without an id', 0, 'rpc', 'method', 3501],
  ['a send', 0, 'send', 'data', 3508],
  ['a send with an id', 2, 'send', 'data', 3508],
]

describe('unsubscribing', () => {
  test.each(['json', 'protobuf'] as const)(
    'from a refused channel does not affect `events`, with the official client in %s',
    async (codec) => {
      const { server, owner, bots, room } = await channelFixture({ bots: 1 })
      const stream = await Stream.of(server, bots[0], codec)
      const refused = stream.client.newSubscription('news')
      const unsubscribed = new Promise((resolve) => refused.on('unsubscribed', resolve))
      refused.subscribe()
      expect(await unsubscribed).toMatchObject({ code: 103 })
      // The library sends the command only for a subscription that it believes it has.
      const other = stream.client.newSubscription('more news')
      other.subscribe()
      other.unsubscribe()
      expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text: 'still here' }))
      const [event] = await stream.first(1)
      expect(event?.data).toMatchObject({ message: { text: 'still here' } })
    },
  )

  test('from another channel is acknowledged and ends nothing', async () => {
    const { owner, bots, room } = await channelFixture({ bots: 1 })
    const raw = await connectedJson(bots[0])
    await raw.ask({ id: 2, subscribe: { channel: 'events' } })
    expect(await raw.ask({ id: 3, unsubscribe: { channel: 'news' } })).toEqual({ id: 3, unsubscribe: {} })
    expect(await raw.ask({ id: 4, subscribe: { channel: 'events' } })).toMatchObject({ error: { code: 105 } })
    expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text: 'still here' }))
    expect((await raw.next()).push?.channel).toBe('events')
    // Twice, as an uncertain client would.
    expect(await raw.ask({ id: 5, unsubscribe: { channel: 'events' } })).toEqual({ id: 5, unsubscribe: {} })
    expect(await raw.ask({ id: 6, unsubscribe: { channel: 'events' } })).toEqual({ id: 6, unsubscribe: {} })
    expect(await raw.ask({ id: 7, subscribe: { channel: 'events' } })).toMatchObject({ id: 7, subscribe: {} })
  })

  test('is answered with an empty result in Protobuf too', async () => {
    const { bots } = await channelFixture({ bots: 1 })
    const socket = await connectedProtobuf(bots[0])
    expect(await socket.ask(2, 'subscribe', 'events')).toEqual({ id: 2, results: [6] })
    expect(await socket.ask(3, 'unsubscribe', 'news')).toEqual({ id: 3, results: [7] })
    expect(await socket.ask(4, 'subscribe', 'events')).toEqual({ id: 4, code: 105, results: [] })
    expect(await socket.ask(5, 'unsubscribe', 'events')).toEqual({ id: 5, results: [7] })
    expect(await socket.ask(6, 'subscribe', 'events')).toEqual({ id: 6, results: [6] })
  })
})

describe('an unsupported command', () => {
  test('is refused in JSON without closing the connection', async () => {
    const { bots } = await channelFixture({ bots: 1 })
    const raw = await connectedJson(bots[0])
    for (const [method, channel, code] of REFUSED) {
      expect([method, await raw.ask({ id: 7, [method]: { channel } })]).toMatchObject([method, { error: { code } }])
    }
    expect(await raw.ask({ id: 8, ping: {} })).toEqual({ id: 8, ping: {} })
  })

  test('is refused in Protobuf without closing the connection', async () => {
    const { bots } = await channelFixture({ bots: 1 })
    const socket = await connectedProtobuf(bots[0])
    for (const [index, [method, channel, code]] of REFUSED.entries()) {
      expect([method, await socket.ask(10 + index, method, channel)]).toMatchObject([method, { code }])
    }
    expect(await socket.ask(8, 'ping')).toEqual({ id: 8, results: [12] })
  })

  test.each(CLOSING)('closes the connection when it is %s', async (_what, id, method, text, code) => {
    const { bots } = await channelFixture({ bots: 1 })
    const raw = await connectedJson(bots[0])
    const request = method === 'refresh' ? { token: text } : { channel: text }
    raw.send({ ...(id !== 0 && { id }), [method]: request })
    expect(await raw.closed).toMatchObject({ code, reason: expect.stringMatching(/^[a-z]/) })

    const socket = await connectedProtobuf(bots[0])
    socket.send(id, method, text)
    expect(await socket.closed).toMatchObject({ code })
  })
})

describe('connecting', () => {
  test.each([{ name: 'bot\0' }, { version: '1.0\0' }])('with a NUL in %o is a bad request', async (named) => {
    const { server, bots } = await channelFixture({ bots: 1 })
    const raw = await RawSocket.open(server)
    const reply = await raw.ask({ id: 1, connect: { token: await tokenOf(bots[0]), ...named } })
    expect(reply).toEqual({ id: 1, error: { code: 107, message: 'bad request' } })
  })
})
