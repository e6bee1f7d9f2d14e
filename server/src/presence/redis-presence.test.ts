import { memberLeft, presenceChanged, type Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import { setUpCode } from '../accounts/set-up.ts'
import { channelFixture, expectOk, type Portal } from '../../test/channel-fixture.ts'
import { eventually } from '../../test/eventually.ts'
import { OpenPortal } from '../../test/open-portal.ts'
import { Person } from '../../test/person.ts'
import { startPortico } from '../../test/portico-process.ts'
import { redisProgram } from '../../test/redis.ts'
import { script } from '../redis/redis.ts'
import { startCluster, type Cluster } from '../../test/start-cluster.ts'
import type { TestServer } from '../../test/start-server.ts'
import { topicOf } from './presence-store.ts'

const SUBSCRIBERS = script(`return redis.call('PUBSUB', 'SHARDNUMSUB', KEYS[1])[2]`)

describe.skipIf(redisProgram === undefined)('presence in a cluster', () => {
  let cluster: Cluster
  let portal: Portal

  beforeAll(async () => {
    cluster = await startCluster(3)
    const [server] = cluster.nodes
    portal = { server, administrator: await new Person(server).setUp(setUpCode(server.services.secret)) }
  })

  /** How an open portal saw someone come and go. */
  const changesOf = ({ id }: Person, open: OpenPortal): string[] =>
    open
      .eventsOf(presenceChanged)
      .flatMap(({ data: { online, offline } }) => [
        ...(online.includes(id) ? ['online'] : []),
        ...(offline.includes(id) ? ['offline'] : []),
      ])

  const listedOnline = async (person: Person, at: string, node: TestServer): Promise<string[]> => {
    const there = new Person(node).known(person.id, person.cookie)
    const { members } = expectOk(await there.get<Output<typeof api.listMembers>>(`${at}/members`))
    return members.filter(({ online }) => online).map(({ id }) => id)
  }

  const redisIs = (isReady: boolean) =>
    eventually(() => cluster.nodes.every(({ services }) => services.redis?.isReady === isReady)).toBe(true)

  const subscribersOf = (channelId: string) => portal.server.services.redis?.run(SUBSCRIBERS, [topicOf(channelId)], [])

  test('is published on all nodes with people of the channel, once, also for someone connected twice', async () => {
    const [first, second, third] = cluster.nodes as [TestServer, TestServer, TestServer]
    const { owner, people, at } = await channelFixture({ people: 2, portal })
    const [ada, bob] = people
    const watching = [await OpenPortal.of(first, owner), await OpenPortal.of(second, bob)]
    const seen = () => watching.map((open) => changesOf(ada, open))

    const one = await OpenPortal.of(second, ada)
    await eventually(seen).toEqual([['online'], ['online']])
    // The third node has nobody in the channel, and reads.
    for (const node of cluster.nodes) expect(await listedOnline(owner, at, node)).toContain(ada.id)

    const other = await OpenPortal.of(third, ada)
    one.close()
    // Known elsewhere only when it was published, which takes longer for those who go than for those who come.
    await eventually(() => listedOnline(owner, at, second)).toContain(ada.id)
    other.close()
    await eventually(seen).toEqual([
      ['online', 'offline'],
      ['online', 'offline'],
    ])
    for (const node of cluster.nodes) expect(await listedOnline(owner, at, node)).not.toContain(ada.id)
  })

  test('follows someone who joins and leaves a channel on another node', async () => {
    const [first, second, third] = cluster.nodes as [TestServer, TestServer, TestServer]
    const { owner, at, newPerson } = await channelFixture({ portal })
    const ada = await newPerson()
    const watching = await OpenPortal.of(first, owner)
    await OpenPortal.of(second, ada)
    const elsewhere = new Person(third).known(ada.id, ada.cookie)
    expectOk(await elsewhere.post(`${at}/join`))
    await eventually(() => changesOf(ada, watching)).toEqual(['online'])
    expectOk(await elsewhere.delete(`${at}/membership`))
    await watching.next(memberLeft)
    await eventually(async () =>
      Promise.all(cluster.nodes.map(async ({ services }) => services.presence.onlineIn(at.slice('/channels/'.length)))),
    ).toEqual([new Set([owner.id]), new Set([owner.id]), new Set([owner.id])])
    expect(changesOf(ada, watching)).toEqual(['online'])
  })

  test('of a channel reaches only nodes with people in it', async () => {
    const [first, second] = cluster.nodes
    const { owner, people, bots, channel } = await channelFixture({ people: 1, bots: 1, portal })
    const tab = await OpenPortal.of(first, owner)
    await eventually(() => subscribersOf(channel.id)).toBe(1)
    // A bot is online, but learns nothing about others.
    second.services.presence.connected(bots[0].id, 'bot')
    await eventually(() => changesOf({ id: bots[0].id } as Person, tab)).toEqual(['online'])
    expect(await subscribersOf(channel.id)).toBe(1)
    const other = await OpenPortal.of(second, people[0])
    await eventually(() => subscribersOf(channel.id)).toBe(2)
    for (const open of [tab, other]) open.close()
    await eventually(() => subscribersOf(channel.id)).toBe(0)
    second.services.presence.disconnected(bots[0].id)
  })

  test('ends for everyone on a node that was killed', async () => {
    const [first, second] = cluster.nodes
    const { owner, people, at } = await channelFixture({ people: 2, portal })
    const [ada, bob] = people
    const watching = await OpenPortal.of(first, owner)
    const node = await startPortico({ ...cluster.settings, RATE_LIMIT_FACTOR: '1000' })
    await OpenPortal.of(node, ada)
    await OpenPortal.of(node, bob)
    await eventually(() => [ada, bob].map((one) => changesOf(one, watching))).toEqual([['online'], ['online']])
    await node.stop('SIGKILL')
    // Whoever connects to another node stays online.
    await OpenPortal.of(second, bob)
    await eventually(() => changesOf(ada, watching)).toEqual(['online', 'offline'])
    expect(changesOf(bob, watching)).toEqual(['online'])
    expect(await listedOnline(owner, at, second)).not.toContain(ada.id)
  })

  test('stays as it was while Redis is away or restarts empty, and goes on afterwards', async () => {
    const [first, second, third] = cluster.nodes as [TestServer, TestServer, TestServer]
    const { owner, people, at } = await channelFixture({ people: 3, portal })
    const [ada, bob, eve] = people
    const watching = await OpenPortal.of(first, owner)
    await OpenPortal.of(second, ada)
    const leaving = await OpenPortal.of(second, bob)
    const seen = () => people.map((one) => changesOf(one, watching))
    await eventually(seen).toEqual([['online'], ['online'], []])

    await cluster.redis.kill()
    await redisIs(false)
    expect(await listedOnline(owner, at, first)).toEqual(expect.arrayContaining([owner.id, ada.id, bob.id]))
    expect(await listedOnline(owner, at, second)).toEqual(expect.arrayContaining([ada.id, bob.id]))
    leaving.close()
    await OpenPortal.of(third, eve)
    await eventually(() => listedOnline(eve, at, third)).toContain(eve.id)
    await cluster.redis.startAgain()
    await redisIs(true)
    await eventually(seen).toEqual([['online'], ['online', 'offline'], ['online']])
    for (const node of cluster.nodes) {
      await eventually(async () => new Set(await listedOnline(owner, at, node))).toEqual(
        new Set([owner.id, ada.id, eve.id]),
      )
    }
  })
})
