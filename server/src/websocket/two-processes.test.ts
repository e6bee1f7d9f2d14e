import { messageCreated } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import type { Bot } from '../../test/bot.ts'
import { OpenPortal } from '../../test/open-portal.ts'
import { RawSocket } from '../../test/raw-socket.ts'
import { startServer, type TestServer } from '../../test/start-server.ts'
import { Stream } from '../../test/stream.ts'
import { done, portal, world } from '../../test/world.ts'

const PORTICO_SECRET = 'the same on all machines of a portal'
let other: Promise<TestServer> | undefined

/** A world that speaks to one process of a portal, and another process of the same portal. */
async function twoProcesses<const B extends number>(wish: { bots: B; people?: 0 | 1 }) {
  const { server } = await portal({ PORTICO_SECRET })
  other ??= startServer({ PORTICO_SECRET, DATABASE_URL: server.parts.config.DATABASE_URL ?? '' })
  return { ...(await world(wish)), here: server, there: await other }
}

async function tokenOf(bot: Bot): Promise<string> {
  return done(await bot.get<{ token: string }>('/events/token')).token
}

async function subscribed(server: TestServer, token: string, position: object = {}): Promise<RawSocket> {
  const raw = await RawSocket.open(server)
  await raw.ask({ id: 1, connect: { token } })
  raw.send({ id: 2, subscribe: { channel: 'events', ...position } })
  return raw
}

describe('two processes of one portal', () => {
  test('tell bots and people of each other’s events', async () => {
    const { here, there, bots, owner, room } = await twoProcesses({ bots: 1 })
    const stream = await Stream.of(there, bots[0])
    const person = await OpenPortal.of(there, owner)
    const { channelId } = room
    expect(here.url).not.toBe(there.url)
    const texts = ['one', 'two', 'three']
    for (const text of texts) done(await owner.post(`/rooms/${room.id}/messages`, { channelId, text }))
    const heard = (await stream.first(3)).map(({ data }) => (data['message'] as { text: string }).text)
    expect(heard).toEqual(texts)
    for (const text of texts) expect((await person.next(messageCreated)).data.message.text).toBe(text)
  })

  test('leave a bot one connection, and burn its token for both', async () => {
    const { here, there, bots, owner, room } = await twoProcesses({ bots: 1 })
    const token = await tokenOf(bots[0])
    const first = await subscribed(here, token)
    const second = await Stream.of(there, bots[0])
    expect(await first.closed).toMatchObject({ code: 3504 })
    for (const server of [here, there]) {
      const again = await RawSocket.open(server)
      expect(await again.ask({ id: 1, connect: { token } })).toMatchObject({ error: { code: 106 } })
    }
    done(await owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text: 'for one of them' }))
    await second.first(1)
    expect(second.sockets).toHaveLength(1)
    expect(first.frames.some((frame) => frame.includes('for one of them'))).toBe(false)
  })

  test('leave one of many who connect to both at once', async () => {
    const { here, there, bots } = await twoProcesses({ bots: 1 })
    const tokens = await Promise.all(Array.from({ length: 8 }, () => tokenOf(bots[0])))
    const sockets = await Promise.all(tokens.map((_, index) => RawSocket.open(index % 2 ? here : there)))
    await Promise.all(sockets.map((raw, index) => raw.ask({ id: 1, connect: { token: tokens[index] } })))
    // Nobody waits for the review of every minute.
    const open = () => sockets.filter(({ socket }) => socket.readyState === socket.OPEN).length
    await expect.poll(open, { timeout: 30_000 }).toBe(1)
  })

  test('close the stream of a key that was re-issued by the other', async () => {
    const { there, bots } = await twoProcesses({ bots: 1 })
    const stream = await Stream.of(there, bots[0])
    await bots[0].reissue()
    expect(await stream.disconnected).toMatchObject({ code: 3503 })
  })

  test('recover each other’s positions, also while one of them is behind', async () => {
    const { here, there, bots, owner, room } = await twoProcesses({ bots: 1 })
    const say = async (text: string) => {
      done(await owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text }))
    }
    const token = await tokenOf(bots[0])
    const first = await subscribed(here, token)
    const { subscribe } = await first.next()

    // From the next event on, the other process comes no further.
    const stuck = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    const stop = there.parts.eventLog.listen(() => {
      stuck.resolve()
      return gate.promise
    })
    await say('one')
    await stuck.promise
    await say('two')
    await first.next()
    const offset = (await first.next()).push?.pub.offset ?? 0
    first.socket.terminate()
    await say('three')

    const position = { recover: true, epoch: subscribe?.epoch, offset }
    const second = await subscribed(there, token, position)
    // It says that it cannot tell yet; and once it has caught up, the next try succeeds.
    expect(await second.next()).toMatchObject({ id: 2, error: { code: 100, temporary: true } })
    second.send({ id: 3, subscribe: { channel: 'events', ...position } })
    stop()
    gate.resolve()
    expect(await second.next()).toMatchObject({ id: 3, subscribe: { was_recovering: true, recovered: true, offset } })
    expect((await second.next()).push?.pub.data).toMatchObject({ data: { message: { text: 'three' } } })
    expect(await second.ask({ id: 4, ping: {} })).toMatchObject({ id: 4 })
  })
})
