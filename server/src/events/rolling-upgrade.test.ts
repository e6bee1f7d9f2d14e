import { messageCreated, typingStarted, type OwnChannel, type Room, type UploadedFile } from '@portico/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import { Bot } from '../../test/bot.ts'
import { channelFixture, expectOk, type Portal } from '../../test/channel-fixture.ts'
import { emptyDatabase } from '../../test/database.ts'
import { eventually } from '../../test/eventually.ts'
import { atFileEnd } from '../../test/file-end.ts'
import { filesFolder } from '../../test/files-folder.ts'
import { startMessageLoad } from '../../test/message-load.ts'
import { OpenPortal } from '../../test/open-portal.ts'
import { Person } from '../../test/person.ts'
import { startPortico } from '../../test/portico-process.ts'
import { queryDatabase } from '../../test/query-database.ts'
import { RawSocket } from '../../test/raw-socket.ts'
import { RedisServer, redisProgram } from '../../test/redis.ts'
import { startNode, type TestServer } from '../../test/start-node.ts'
import { Stream } from '../../test/stream.ts'
import { startBalancer } from '../../test/tcp-balancer.ts'
import { CLOSES } from './stream-codes.ts'

/** A checkout of the previous version with its dependencies: scripts/test-previous-release.mjs makes one. */
const checkout = process.env['PORTICO_TEST_PREVIOUS']

type Address = Pick<TestServer, 'url'>

describe.skipIf(checkout === undefined || redisProgram === undefined)('during a rolling upgrade', () => {
  let previous: Awaited<ReturnType<typeof startPortico>>
  let startPrevious: () => ReturnType<typeof startPortico>
  let current: TestServer
  let portal: Portal
  /** What the previous version answered to messages that were sent while this one started and migrated the database. */
  const answers: number[] = []
  let migrations: [before: number, after: number]

  beforeAll(async () => {
    const redis = await RedisServer.start()
    atFileEnd(() => redis.kill())
    const { url: DATABASE_URL } = await emptyDatabase()
    const settings = {
      DATABASE_URL,
      REDIS_URL: redis.url,
      FILES_FOLDER: await filesFolder(),
      PORTICO_DATA: await filesFolder(),
      PORTICO_SECRET: 'the secret of all nodes of a test cluster',
      RATE_LIMIT_FACTOR: '1000',
    }
    startPrevious = () => startPortico(settings, { ...(checkout && { checkout }), atEnd: atFileEnd })
    const countMigrations = async () =>
      Number((await queryDatabase(DATABASE_URL, 'SELECT count(*) AS count FROM schema_migrations'))[0]?.['count'])

    previous = await startPrevious()
    const before = await countMigrations()
    const administrator = await new Person(previous).setUp(await previous.said(/set-up\?code=(\w+)/))
    const channel = expectOk(await administrator.post<OwnChannel>('/channels', { name: 'Ateliers', open: true }))
    const room = expectOk(
      await administrator.post<Room>(`/channels/${channel.id}/rooms`, { name: 'workshop', type: 'text' }),
    )
    const state = { isStarting: true }
    const starting = startNode(settings).finally(() => (state.isStarting = false))
    while (state.isStarting) {
      const message = { channelId: channel.id, text: `Message ${answers.length}` }
      answers.push((await administrator.post(`/rooms/${room.id}/messages`, message)).status)
    }
    current = await starting
    migrations = [before, await countMigrations()]
    portal = { server: current, administrator: new Person(current).known(administrator.id, administrator.cookie) }
  })

  /** The node of the previous version and that of this one, and the other way round. */
  const bothWays = (): [Address, Address][] => [
    [previous, current],
    [current, previous],
  ]
  /** The same person's browser on another node. */
  const at = (node: Address, { id, cookie }: Person): Person => new Person(node).known(id, cookie)

  test('the previous version serves while this one migrates the database', () => {
    expect(migrations[1]).toBeGreaterThan(migrations[0])
    expect(answers.length).toBeGreaterThan(0)
    expect(new Set(answers)).toEqual(new Set([201]))
  })

  test('people are signed in and out on nodes of both versions', async () => {
    for (const [one, other] of bothWays()) {
      const person = await new Person(one).signUp()
      expectOk(await at(other, person).get('/session'))
      const phone = await person.signInElsewhere()
      const socket = await RawSocket.open(other, { cookie: phone.cookie, origin: other.url })
      socket.send({ id: 1, connect: {} })
      await socket.next()
      expectOk(await person.delete('/sessions'))
      expect((await socket.closed).code).toBe(CLOSES.revoked.code)
    }
  })

  test('events and typing reach the sockets of nodes of both versions, whole and in order', async () => {
    const { owner, people, room } = await channelFixture({ people: 1, portal })
    const portals = await Promise.all(bothWays().map(([node]) => OpenPortal.of(node, people[0])))
    const sent: string[] = []
    for (let count = 0; count < 20; count += 1) {
      const text = `Message ${count}`
      const node = count % 2 === 0 ? previous : current
      expectOk(await at(node, owner).post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text }))
      sent.push(text)
    }
    for (const open of portals) {
      await eventually(() => open.eventsOf(messageCreated).map(({ data }) => data.message.text)).toEqual(sent)
    }
    // Only this way: the previous version doesn't authenticate what it publishes, and typing is nowhere else.
    const open = await OpenPortal.of(previous, people[0])
    await open.show(room.id)
    expectOk(await at(current, owner).post(`/rooms/${room.id}/typing`))
    expect((await open.next(typingStarted)).data.member.id).toBe(owner.id)
  })

  test('a key that was re-issued on one node is refused by the other', async () => {
    const { bots, owner } = await channelFixture({ bots: 1, portal })
    for (const [one, other] of bothWays()) {
      const there = new Bot(one, at(one, owner), bots[0].application)
      const ask = (key: string) =>
        fetch(`${other.url}/api/v1/me`, { headers: { authorization: `Bot ${key}` } }).then(({ status }) => status)
      const former = (await there.reissue()).key
      expect(await ask(former)).toBe(200)
      await there.reissue()
      expect([await ask(former), await ask(there.key)]).toEqual([401, 200])
    }
  })

  test('an application has one quota on all nodes', async () => {
    const { bots } = await channelFixture({ bots: 1, quotas: 'usual', portal })
    const requests = Array.from({ length: 200 }, (_, count) => {
      const node = count % 2 === 0 ? previous : current
      return fetch(`${node.url}/api/v1/me`, { headers: { authorization: `Bot ${bots[0].key}` } })
    })
    const statuses = (await Promise.all(requests)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(60)
    expect(statuses.filter((status) => status === 429)).toHaveLength(140)
  })

  test('an event stream is displaced by one on a node of the other version', async () => {
    for (const [one, other] of bothWays()) {
      const { bots } = await channelFixture({ bots: 1, portal })
      const first = await Stream.of(one, bots[0])
      await Stream.of(other, bots[0])
      expect((await first.disconnected).code).toBe(CLOSES.displaced.code)
    }
  })

  test('a file is read on a node of the other version', async () => {
    const { owner, room } = await channelFixture({ portal })
    for (const [one, other] of bothWays()) {
      const content = Buffer.from('Twelve metres wide.\n')
      const type = { 'content-type': 'application/octet-stream' }
      const path = `/rooms/${room.id}/files?name=notes.txt`
      const { url } = expectOk(await at(one, owner).request<UploadedFile>('POST', path, Uint8Array.from(content), type))
      const response = await fetch(other.url + url, { headers: { cookie: owner.cookie } })
      expect(await response.text()).toBe(content.toString())
    }
  })

  test('nothing is lost while the previous version restarts, and is stopped at last', async () => {
    let nodes: Address[] = [previous]
    const balancer = await startBalancer(() => nodes.map(({ url }) => url))
    const load = await startMessageLoad({ portal, through: balancer, repeated: ['broken'] })
    nodes = [previous, current]
    await load.more(50)
    nodes = [current]
    await previous.stop()
    await load.more(20)
    previous = await startPrevious()
    nodes = [previous, current]
    await load.more(50)
    nodes = [current]
    await previous.stop()
    await load.more(20)
    await load.expectNothingLost()
    expect(load.stream.subscriptions.slice(1).filter(({ recovered }) => !recovered)).toEqual([])
  })
})
