import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { manyEvents } from '../../test/many-events.ts'
import { havePythonClient, PythonBot } from '../../test/python-bot.ts'
import { startRelay } from '../../test/relay.ts'
import { Stream } from '../../test/stream.ts'
import { expectOk, portal, channelFixture } from '../../test/channel-fixture.ts'

beforeAll(async () => void (havePythonClient && (await portal({ STREAM_PING_SECONDS: '1' }))))

describe.skipIf(!havePythonClient)('the official Python client', () => {
  test.each(['json', 'protobuf'] as const)(
    '2, 33: connects in %s, receives events in order, and recovers after a cut',
    async (codec) => {
      const { server, bots, owner, room } = await channelFixture({ bots: 1 })
      const relay = await startRelay(server.url)
      const python = new PythonBot(relay, server, bots[0], codec)
      await python.until(() => python.of('subscribed').length === 1)
      const say = async (text: string) => {
        expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text }))
      }
      const texts = ['one', 'two', 'three', 'missed', 'missed too', 'last']
      for (const text of texts.slice(0, 3)) await say(text)
      await python.until(() => python.of('publication').length === 3)
      relay.cut()
      for (const text of texts.slice(3)) await say(text)
      await python.until(() => python.of('publication').length === texts.length)
      expect(python.of('publication').map(({ text }) => text)).toEqual(texts)
      expect(python.of('subscribed')[1]).toMatchObject({ wasRecovering: true, recovered: true })
    },
  )

  test('22: receives enough pings during a flow of events', async () => {
    const { server, bots, owner, room } = await channelFixture({ bots: 1 })
    const python = new PythonBot(server, server, bots[0], 'json')
    await python.until(() => python.of('subscribed').length === 1)
    // Twice its ping timeout: the announced second, plus its own ten.
    for (const until = performance.now() + 24_000; performance.now() < until;) {
      expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text: 'on and on' }))
    }
    expect(python.of('publication').length).toBeGreaterThan(0)
    expect(python.said.filter(({ what }) => what === 'disconnected' || what === 'connected')).toHaveLength(1)
    expect(python.of('connecting')).toHaveLength(1)
  })

  test('26: yields to a newer connection during a flow of events, and does not replace it again', async () => {
    const { server, bots, owner, room } = await channelFixture({ bots: 1 })
    const over = new AbortController()
    const at = `/rooms/${room.id}/messages`
    const flow = Promise.all(
      Array.from({ length: 4 }, async () => {
        while (!over.signal.aborted) {
          expectOk(await owner.post(at, { channelId: room.channelId, text: 'on and on' }))
          await sleep(40)
        }
      }),
    )
    const python = new PythonBot(server, server, bots[0], 'json')
    await python.until(() => python.of('publication').length > 20)
    const newcomer = await Stream.of(server, bots[0])
    await python.until(() => python.of('disconnected').length > 0)
    expect([3504, 106]).toContain(python.of('disconnected')[0]?.code)
    const before = newcomer.received.length
    await sleep(10_000)
    await newcomer.until(() => newcomer.received.length > before + 20)
    over.abort()
    await flow
    expect(newcomer.sockets).toHaveLength(1)
    expect(newcomer.client.state).toBe('connected')
    expect(python.said.at(-1)?.what).toBe('disconnected')
  })

  test.each(['json', 'protobuf'] as const)('37: catches up with 20 MiB in %s', async (codec) => {
    const { server, bots, owner, room } = await channelFixture({ bots: 1 })
    const relay = await startRelay(server.url)
    const python = new PythonBot(relay, server, bots[0], codec)
    await python.until(() => python.of('subscribed').length === 1)
    expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text: 'first' }))
    await python.until(() => python.of('publication').length === 1)
    relay.cut()
    await manyEvents(server, room, 5000)
    await python.until(() => python.of('publication').length === 5001)
    const numbers = python.of('publication').map(({ text = '' }) => Number.parseInt(text, 10))
    expect(numbers.slice(1)).toEqual(Array.from({ length: 5000 }, (_, index) => index + 1))
    expect(
      python
        .of('subscribed')
        .slice(1)
        .every(({ recovered }) => recovered),
    ).toBe(true)
  })
})
