import { beforeAll, describe, expect, test } from 'vitest'
import { setUpCode } from '../accounts/set-up.ts'
import { askAtOnce, expectWithinQuota } from '../../test/accepted-requests.ts'
import { channelFixture, type Portal } from '../../test/channel-fixture.ts'
import { eventually } from '../../test/eventually.ts'
import { startMessageLoad } from '../../test/message-load.ts'
import { Person } from '../../test/person.ts'
import { redisProgram } from '../../test/redis.ts'
import { startSentinelGroup, type SentinelGroup } from '../../test/redis-sentinel.ts'
import { startNodes, type Nodes } from '../../test/start-cluster.ts'
import { startBalancer } from '../../test/tcp-balancer.ts'
import { RedisQuotas } from '../quotas/redis-quotas.ts'

describe.skipIf(redisProgram === undefined)('a cluster with Redis Sentinel', () => {
  let group: SentinelGroup
  let nodes: Nodes['nodes']
  let portal: Portal

  beforeAll(async () => {
    group = await startSentinelGroup()
    nodes = (await startNodes(group.url)).nodes
    const [server] = nodes
    portal = { server, administrator: await new Person(server).setUp(setUpCode(server.services.secret)) }
  })

  const areReady = () => nodes.map(({ services }) => services.redis?.isReady)
  const areCountingInRedis = () =>
    nodes.map(({ services: { quotas } }) => quotas instanceof RedisQuotas && quotas.isInRedis)

  // The first fail-over happens while one of the Sentinels is missing, too.
  test.each(['SIGKILL', 'SIGSTOP'] as const)(
    'goes on sending and delivering, and exceeds no quota, when the primary gets %s and its replica takes over',
    async (signal) => {
      const former = await group.primary()
      if (signal === 'SIGKILL') group.killSentinel()
      const balancer = await startBalancer(() => nodes.map(({ url }) => url))
      const load = await startMessageLoad({ portal, through: balancer })
      const { bots } = await channelFixture({ bots: 1, quotas: 'usual', portal })
      const accepted = await askAtOnce(nodes, bots[0])
      expect(accepted.length).toBeGreaterThan(0)
      await load.more(20)

      former.signal(signal)
      await eventually(areReady).toEqual([false, false])
      accepted.push(...(await askAtOnce(nodes, bots[0])))
      await load.more(20)
      await eventually(async () => (await group.primary()).port).not.toBe(former.port)
      await eventually(areReady).toEqual([true, true])
      accepted.push(...(await askAtOnce(nodes, bots[0])))
      // Once more when they are counted in Redis again.
      await eventually(areCountingInRedis).toEqual([true, true])
      accepted.push(...(await askAtOnce(nodes, bots[0])))
      expectWithinQuota(accepted)
      await load.more(20)

      // The former primary becomes the replica.
      if (signal === 'SIGSTOP') former.signal('SIGCONT')
      else await former.startAgain()
      await eventually(async () => ((await former.ask('ROLE')) as unknown[])[0]).toBe('slave')
      await load.more(20)
      await eventually(areReady).toEqual([true, true])
      await load.expectNothingLost()
    },
  )
})
