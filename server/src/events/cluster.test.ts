import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import {
  messageAppended,
  messageCreated,
  typingStarted,
  type Application,
  type Health,
  type Message,
} from '@portico/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import { setUpCode } from '../accounts/set-up.ts'
import { Bot } from '../../test/bot.ts'
import { channelFixture, expectOk } from '../../test/channel-fixture.ts'
import { eventually } from '../../test/eventually.ts'
import { OpenPortal } from '../../test/open-portal.ts'
import { Person } from '../../test/person.ts'
import { RawSocket } from '../../test/raw-socket.ts'
import { redisProgram } from '../../test/redis.ts'
import { startCluster, type Cluster } from '../../test/start-cluster.ts'
import { startNode } from '../../test/start-node.ts'
import { Stream } from '../../test/stream.ts'
import { CLOSES } from './stream-codes.ts'
import { ServedElsewhere } from './serving-lease.ts'

describe.skipIf(redisProgram === undefined)('a cluster', () => {
  let cluster: Cluster
  let administrator: Person

  beforeAll(async () => {
    cluster = await startCluster(2)
    const [first] = cluster.nodes
    administrator = await new Person(first).setUp(setUpCode(first.services.secret))
  })

  test('does not serve together with a process without REDIS_URL', async () => {
    const { REDIS_URL: _, ...settings } = cluster.settings
    await expect(startNode(settings)).rejects.toThrow(ServedElsewhere)
  })

  test('delivers events and typing to people on other nodes', async () => {
    const [first, second] = cluster.nodes
    const { owner, people, room } = await channelFixture({ people: 1, portal: { server: first, administrator } })
    const portal = await OpenPortal.of(second, people[0])
    const message = { channelId: room.channelId, text: 'Hello from the other node' }
    expectOk(await owner.post(`/rooms/${room.id}/messages`, message))
    expect((await portal.next(messageCreated)).data.message.text).toBe(message.text)
    await portal.show(room.id)
    expectOk(await owner.post(`/rooms/${room.id}/typing`))
    expect((await portal.next(typingStarted)).data.member.id).toBe(owner.id)
  })

  test('appends to a message on any node, and shows it on all of them', async () => {
    const [first, second] = cluster.nodes
    const { owner, bots, room } = await channelFixture({ bots: 1, portal: { server: first, administrator } })
    const portal = await OpenPortal.of(second, owner)
    await portal.show(room.id)
    const at = `/rooms/${room.id}/messages`
    const { channelId } = room
    const { id } = expectOk(await bots[0].post<Message>(`${at}/streams`, { channelId, text: 'a' }))
    const elsewhere = Object.assign(new Bot(second, owner, bots[0].application), { key: bots[0].key })
    let text = 'a'
    for (const bot of [elsewhere, bots[0], elsewhere, bots[0]]) {
      expectOk(await bot.post(`${at}/${id}/append`, { channelId, position: text.length, text: 'b' }))
      text += 'b'
    }
    let grown = 'a'
    while (grown !== text) {
      const { data } = await portal.next(messageAppended)
      expect(data.position).toBe(grown.length)
      grown += data.text
    }
    expect(expectOk(await elsewhere.post(`${at}/${id}/finish`, { channelId, position: 5 }))).toEqual({ id, text })
  })

  test('refuses a request whose body arrives after its key was re-issued on another node', async () => {
    const [first, second] = cluster.nodes
    const { bots, room, owner } = await channelFixture({ bots: 1, portal: { server: first, administrator } })
    const [bot] = bots
    const body = JSON.stringify({ channelId: room.channelId, text: 'Held back' })
    const sent = request(`${second.url}/api/v1/rooms/${room.id}/messages`, {
      method: 'POST',
      headers: {
        authorization: `Bot ${bot.key}`,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      },
    })
    const answered = once(sent, 'response')
    sent.write(body.slice(0, 1))
    // The headers were accepted; the body is still missing.
    const hasUsedKey = async () =>
      expectOk(await owner.get<Application>(`/applications/${bot.application.id}`)).key?.lastUsedAt !== null
    await eventually(hasUsedKey).toBe(true)
    await bot.reissue()
    sent.end(body.slice(1))
    const [response] = (await answered) as [IncomingMessage]
    response.resume()
    expect(response.statusCode).toBe(401)
  })

  test('displaces the event stream of an application when it connects to another node', async () => {
    const [first, second] = cluster.nodes
    const { owner, bots, room } = await channelFixture({ bots: 1, portal: { server: first, administrator } })
    const one = await Stream.of(first, bots[0])
    const other = await Stream.of(second, bots[0])
    expect((await one.disconnected).code).toBe(CLOSES.displaced.code)
    expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text: 'For one of them' }))
    expect((await other.first(1))[0]?.event).toBe('message.created')
    expect([one.received, one.clients, other.clients]).toMatchObject([[], { length: 1 }, { length: 1 }])
  })

  test('closes the sockets of an ended session on every node', async () => {
    const [first, second] = cluster.nodes
    const person = await new Person(first).signUp()
    const phone = await person.signInElsewhere()
    const socket = await RawSocket.open(second, { cookie: phone.cookie, origin: second.url })
    socket.send({ id: 1, connect: {} })
    await socket.next()
    expectOk(await person.delete('/sessions'))
    expect((await socket.closed).code).toBe(CLOSES.revoked.code)
  })

  test('sends nothing more to someone who was removed on another node', async () => {
    const [first, second] = cluster.nodes
    const { owner, people, at, room } = await channelFixture({ people: 2, portal: { server: first, administrator } })
    const [removed, remaining] = people
    const portals = [await OpenPortal.of(second, removed), await OpenPortal.of(second, remaining)] as const
    expectOk(await owner.delete(`${at}/members/${removed.id}`))
    expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text: 'Without them' }))
    await portals[1].next(messageCreated)
    expect(portals[0].kinds).not.toContain(messageCreated.event)
  })

  test('shows administrators its nodes, and whether Redis answers', async () => {
    const read = async () => expectOk(await administrator.get<Health>('/administration/health'))
    const { cluster: state, media } = await read()
    expect([state?.nodes, media]).toEqual([2, 'off'])
    expect(state?.redisMilliseconds).toBeGreaterThan(0)
    await cluster.redis.kill()
    await eventually(async () => (await read()).cluster).toEqual({ nodes: 2, redisMilliseconds: null })
    await cluster.redis.startAgain()
    await eventually(async () => (await read()).cluster?.redisMilliseconds).toBeGreaterThan(0)
  })
})
