import { memberLeft, presenceChanged, type Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { setTimeout as sleep } from 'node:timers/promises'
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
import { PresenceStore, slotOf, topicOf } from './presence-store.ts'

const SUBSCRIBERS = script(`return redis.call('PUBSUB', 'SHARDNUMSUB', KEYS[1])[2]`)

describe.skipIf(redisProgram === undefined)('presence in a cluster', () => {
  let cluster: Cluster
  let portal: Portal
  let store: PresenceStore

  beforeAll(async () => {
    cluster = await startCluster(3)
    const [server] = cluster.nodes
    if (server.services.redis) store = new PresenceStore(server.services.redis)
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

  /** How many nodes have written that someone is online. */
  const nodesOf = async ({ id }: Person, channelId: string): Promise<number> => {
    const nodes = (await store.read(slotOf(channelId), [channelId])).get(channelId)
    return [...(nodes?.values() ?? [])].filter((accounts) => accounts.has(id)).length
  }

  const subscribersOf = (channelId: string) => portal.server.services.redis?.run(SUBSCRIBERS, [topicOf(channelId)], [])

  test('is published on all nodes with people of the channel, once, also for someone connected twice', async () => {
    const [first, second, third] = cluster.nodes as [TestServer, TestServer, TestServer]
    const { owner, people, at, channel } = await channelFixture({ people: 2, portal })
    const [ada, bob] = people
    const watching = [await OpenPortal.of(first, owner), await OpenPortal.of(second, bob)]
    const seen = () => watching.map((open) => changesOf(ada, open))

    const one = await OpenPortal.of(second, ada)
    await eventually(seen).toEqual([['online'], ['online']])
    // The third node has nobody in the channel, and reads.
    for (const node of cluster.nodes) expect(await listedOnline(owner, at, node)).toContain(ada.id)

    const other = await OpenPortal.of(third, ada)
    await eventually(() => nodesOf(ada, channel.id)).toBe(2)
    one.close()
    await eventually(() => nodesOf(ada, channel.id)).toBe(1)
    expect(seen()).toEqual([['online'], ['online']])
    expect(await listedOnline(owner, at, second)).toContain(ada.id)
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

  test('is the same on all nodes after people came and went, joined and left at random', async () => {
    const { owner, people, channel, at } = await channelFixture({ people: 6, portal })
    const watching = await Promise.all(cluster.nodes.map((node) => OpenPortal.of(node, owner)))
    const sockets = people.map(() => cluster.nodes.map(() => 0))
    const rejoined = new Set<string>()
    for (let step = 0; step < 150; step += 1) {
      const who = Math.floor(Math.random() * people.length)
      const where = Math.floor(Math.random() * cluster.nodes.length)
      const [person, node, counts] = [people[who], cluster.nodes[where], sockets[who]]
      if (!person || !node || !counts) continue
      if (who < 2 && step % 5 === 0) {
        expectOk(await person.delete(`${at}/membership`))
        expectOk(await person.post(`${at}/join`))
        rejoined.add(person.id)
      } else if (Math.random() < 0.5 && (counts[where] ?? 0) > 0) {
        counts[where] = 0
        node.services.presence.disconnected(person.id)
      } else if (counts[where] === 0) {
        counts[where] = 1
        node.services.presence.connected(person.id)
      }
      await sleep(Math.random() * 40)
    }
    const expected = new Set([owner.id])
    for (const [who, { id }] of people.entries()) if (sockets[who]?.some((count) => count > 0)) expected.add(id)
    for (const { services } of cluster.nodes) {
      await eventually(() => services.presence.onlineIn(channel.id)).toEqual(expected)
    }
    /** As a portal shows it that has followed all changes. It asks again for people who left. */
    const shown = (open: OpenPortal): Set<string> => {
      const online = new Set([owner.id])
      for (const { data } of open.eventsOf(presenceChanged)) {
        for (const id of data.online) online.add(id)
        for (const id of data.offline) online.delete(id)
      }
      return online.difference(rejoined)
    }
    for (const open of watching) await eventually(() => shown(open)).toEqual(expected.difference(rejoined))
    for (const [who, { id }] of people.entries()) {
      for (const [where, node] of cluster.nodes.entries()) {
        if (sockets[who]?.[where] === 1) node.services.presence.disconnected(id)
      }
    }
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
    // Someone who reconnects to another node stays online.
    await OpenPortal.of(second, bob)
    await eventually(() => changesOf(ada, watching)).toEqual(['online', 'offline'])
    expect(changesOf(bob, watching)).toEqual(['online'])
    // Every node notices with its own heartbeat.
    await eventually(() => listedOnline(owner, at, second)).not.toContain(ada.id)
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
