import { RATE_LIMITS } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { RawSocket } from '../../test/raw-socket.ts'
import { Stream } from '../../test/stream.ts'
import { expectOk, portal, channelFixture } from '../../test/channel-fixture.ts'

/** A tenth of every limit, so that tests reach them quickly. */
await portal({ RATE_LIMIT_FACTOR: '0.1', TRUSTED_PROXIES: '127.0.0.1' })

const most = (limit: keyof typeof RATE_LIMITS): number => Math.floor(RATE_LIMITS[limit] / 10)

describe('a socket', () => {
  test('is closed when it sends too many commands, with a code that makes the client reconnect', async () => {
    const { server, bots } = await channelFixture({ bots: 1 })
    const { token } = expectOk(await bots[0].get<{ token: string }>('/events/token'))
    const raw = await RawSocket.open(server)
    await raw.ask({ id: 1, connect: { token } })
    for (let sent = 1; sent < most('socketCommands'); sent += 1) await raw.ask({ id: sent + 1, ping: {} })
    raw.send({ id: 1000, ping: {} })
    expect(await raw.closed).toMatchObject({ code: 3013 })
  })

  test('must wait when its account recovers too often, even across new connections', async () => {
    const { server, bots } = await channelFixture({ bots: 1 })
    const { token } = expectOk(await bots[0].get<{ token: string }>('/events/token'))
    const connected = async () => {
      const raw = await RawSocket.open(server)
      await raw.ask({ id: 1, connect: { token } })
      return raw
    }
    const subscribe = { id: 2, subscribe: { channel: 'events', recover: true } }
    let raw = await connected()
    for (let recoveries = 0; recoveries < most('recoveries'); recoveries += 1) {
      if (recoveries % 2 === 0) raw = await connected()
      expect(await raw.ask(subscribe)).toMatchObject({ subscribe: {} })
      await raw.ask({ id: 3, unsubscribe: { channel: 'events' } })
    }
    const again = await connected()
    expect(await again.ask(subscribe)).toMatchObject({ error: { code: 111, temporary: true } })
    expect(await again.ask({ id: 4, subscribe: { channel: 'events' } })).toMatchObject({ subscribe: {} })
  })

  test('recovers by itself after it had to wait', async () => {
    const { server, bots, owner, room } = await channelFixture({ bots: 1 })
    const { token } = expectOk(await bots[0].get<{ token: string }>('/events/token'))
    const stream = await Stream.with(server, async () => token)
    const raw = stream.sockets[0]
    for (let sent = 0; sent < most('socketCommands'); sent += 1)
      raw?.send(JSON.stringify({ id: 9000 + sent, ping: {} }))
    await stream.until(() => stream.subscriptions.length === 2)
    expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text: 'still here' }))
    await stream.until(() => stream.received.length > 0)
  })
})

describe('open sockets', () => {
  test('of one person are limited, and closing one frees a place', async () => {
    const { server, owner } = await channelFixture()
    const open = async () => {
      const raw = await RawSocket.open(server, { cookie: owner.cookie, origin: server.url })
      return { raw, reply: await raw.ask({ id: 1, connect: {} }) }
    }
    const opened = []
    while (opened.length < most('personSockets')) opened.push(await open())
    for (const { reply } of opened) expect(reply).toMatchObject({ connect: {} })
    expect((await open()).reply).toMatchObject({ error: { code: 111, temporary: true } })
    opened[0]?.raw.socket.close()
    await opened[0]?.raw.closed
    expect((await open()).reply).toMatchObject({ connect: {} })
  })

  test('of one address are limited, and closing one frees a place', async () => {
    const { server } = await channelFixture()
    const from = (address: string) => RawSocket.open(server, { 'x-forwarded-for': address })
    const opened: RawSocket[] = []
    while (opened.length < most('addressSockets')) opened.push(await from('203.0.113.9'))
    expect(await (await from('203.0.113.9')).closed).toMatchObject({ code: 3013 })
    opened[0]?.socket.close()
    await opened[0]?.closed
    const next = await from('203.0.113.9')
    next.send({ id: 1, connect: { token: 'nonsense' } })
    expect(await next.closed).toMatchObject({ code: 3500 })
    for (const { socket } of opened) socket.terminate()
  })

  test('of one address are limited per minute', async () => {
    const { server } = await channelFixture()
    const from = (address: string) => RawSocket.open(server, { 'x-forwarded-for': address })
    for (let opened = 0; opened < most('addressConnects'); opened += 1) (await from('203.0.113.7')).socket.close()
    expect(await (await from('203.0.113.7')).closed).toMatchObject({ code: 3013 })
    const other = await from('203.0.113.8')
    other.send({ id: 1, connect: { token: 'nonsense' } })
    expect(await other.closed).toMatchObject({ code: 3500 })
  })
})
