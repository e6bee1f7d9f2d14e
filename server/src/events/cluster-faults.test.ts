import { beforeAll, describe, expect, test } from 'vitest'
import { setUpCode } from '../accounts/set-up.ts'
import { channelFixture, type Portal } from '../../test/channel-fixture.ts'
import { eventually } from '../../test/eventually.ts'
import { startMessageLoad } from '../../test/message-load.ts'
import { Person } from '../../test/person.ts'
import { startPortico } from '../../test/portico-process.ts'
import { redisProgram } from '../../test/redis.ts'
import { startCluster, type Cluster } from '../../test/start-cluster.ts'
import { startTightWriters } from '../../test/tight-writers.ts'
import { startBalancer } from '../../test/tcp-balancer.ts'

/** How often a node is killed; for a thorough run, set more. */
const ROUNDS = Number(process.env['PORTICO_TEST_ROUNDS'] ?? 2)
/** How often a key is re-issued. */
const REISSUES = 20

describe.skipIf(redisProgram === undefined)('a cluster', { timeout: 300_000 + ROUNDS * 30_000 }, () => {
  let cluster: Cluster
  let portal: Portal

  beforeAll(async () => {
    cluster = await startCluster(3)
    const [server] = cluster.nodes
    portal = { server, administrator: await new Person(server).setUp(setUpCode(server.services.secret)) }
  })

  test.each(['SIGSTOP', 'SIGKILL'] as const)('goes on sending and delivering after %s of Redis', async (signal) => {
    const { redis, nodes } = cluster
    const areReady = () => new Set(nodes.map(({ services }) => services.redis?.isReady))
    const balancer = await startBalancer(() => nodes.map(({ url }) => url))
    const load = await startMessageLoad({ portal, through: balancer })
    const { bots, room } = await channelFixture({ bots: 1, portal })
    // Quotas are counted in Redis.
    const writers = startTightWriters({ bot: bots[0], room, urls: () => nodes.map(({ url }) => url), count: 8 })
    await load.more(10)
    redis.signal(signal)
    await eventually(areReady).toEqual(new Set([false]))
    await load.more(20)
    if (signal === 'SIGSTOP') redis.signal('SIGCONT')
    else await redis.startAgain()
    await eventually(areReady).toEqual(new Set([true]))
    await load.more(20)
    await load.expectNothingLost()
    await writers.expectContract()
  })

  test('accepts a former key on no other node after the answer to its re-issue, however they are hammered, and the new one on all', async () => {
    const [, ...others] = cluster.nodes
    const { bots } = await channelFixture({ bots: 1, portal })
    const [bot] = bots
    const ask = async (url: string, key: string): Promise<number> =>
      (await fetch(`${url}/api/v1/me`, { headers: { authorization: `Bot ${key}` } })).status
    for (let round = 0; round < REISSUES; round += 1) {
      const former = bot.key
      const accepted: number[] = []
      let refused = 0
      const hammering = others.flatMap(({ url }) =>
        Array.from({ length: 4 }, async () => {
          while (refused < 30) {
            const start = performance.now()
            const status = await ask(url, former)
            if (status === 200) accepted.push(start)
            if (status === 401) refused += 1
          }
        }),
      )
      await eventually(() => accepted.length).toBeGreaterThan(20)
      // Through the first node.
      await bot.reissue()
      const answeredAt = performance.now()
      await Promise.all(hammering)
      expect(accepted.filter((start) => start > answeredAt)).toEqual([])
      for (const { url } of others) expect(await ask(url, bot.key)).toBe(200)
    }
  })

  // The last one: without Redis, bots would wait until what the dead nodes may have accepted has left their windows.
  test('loses and reorders nothing when the node that clients are connected to is killed, again and again', async () => {
    const startNode = () => startPortico({ ...cluster.settings, RATE_LIMIT_FACTOR: '1000' })
    let nodes = [await startNode()]
    const balancer = await startBalancer(() => nodes.map(({ url }) => url))
    const load = await startMessageLoad({ portal, through: balancer, repeated: ['broken'] })
    nodes = [...nodes, await startNode()]
    const { bots, room } = await channelFixture({ bots: 1, portal })
    const writers = startTightWriters({ bot: bots[0], room, urls: () => nodes.map(({ url }) => url), count: 8 })
    const killed: string[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      await load.more(20)
      const connections = load.stream.clients.length
      const [victim, ...others] = nodes
      killed.push(victim?.url ?? '')
      await victim?.stop('SIGKILL')
      nodes = others
      // Only the other one is there to reconnect to: that one is killed next.
      await eventually(() => load.stream.clients.length).toBeGreaterThan(connections)
      nodes = [...nodes, await startNode()]
    }
    await load.more(20)
    await load.expectNothingLost()
    await writers.expectContract({ killed })
    expect(load.stream.clients).toHaveLength(ROUNDS + 1)
    expect(load.stream.subscriptions.slice(1).filter(({ recovered }) => !recovered)).toEqual([])
  })
})
