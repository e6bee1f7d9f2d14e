import { expect } from 'vitest'
import { setUpCode } from '../src/accounts/set-up.ts'
import { RedisQuotas } from '../src/quotas/redis-quotas.ts'
import { askAtOnce, expectWithinQuota } from './accepted-requests.ts'
import { channelFixture, type Portal } from './channel-fixture.ts'
import { eventually } from './eventually.ts'
import { startMessageLoad } from './message-load.ts'
import { Person } from './person.ts'
import { startNodes, type Nodes } from './start-cluster.ts'
import { startBalancer } from './tcp-balancer.ts'

export interface ClusterUnderTest {
  readonly nodes: Nodes['nodes']
  readonly portal: Portal
  /** Whether each node uses Redis. */
  areReady(): (boolean | undefined)[]
  /** Sends messages through all nodes until it is stopped. */
  startLoad(): ReturnType<typeof startMessageLoad>
}

/** Starts two nodes that share this Redis, with an administrator. */
export async function startClusterWith(redisUrl: string): Promise<ClusterUnderTest> {
  const { nodes } = await startNodes(redisUrl)
  const [server] = nodes
  const portal = { server, administrator: await new Person(server).setUp(setUpCode(server.services.secret)) }
  return {
    nodes,
    portal,
    areReady: () => nodes.map(({ services }) => services.redis?.isReady),
    startLoad: async () =>
      startMessageLoad({
        portal,
        through: await startBalancer(() => nodes.map(({ url }) => url)),
        // While Redis fails over, a request may wait until its deadline.
        repeated: [504],
      }),
  }
}

interface FailOver {
  /** Ends or stops the primary. */
  readonly fail: () => Promise<void> | void
  /** Resolves when another server is the primary. */
  readonly promoted: () => Promise<void>
  /** Resolves when the former primary is back as a replica. */
  readonly returned?: () => Promise<void>
}

/** Expects that no message is lost and no quota exceeded while Redis fails over. */
export async function expectFailOver(
  { nodes, portal, areReady, startLoad }: ClusterUnderTest,
  { fail, promoted, returned }: FailOver,
): Promise<void> {
  const areCountingInRedis = () =>
    nodes.map(({ services: { quotas } }) => quotas instanceof RedisQuotas && quotas.isInRedis)
  const load = await startLoad()
  const { bots } = await channelFixture({ bots: 1, quotas: 'usual', portal })
  const accepted = await askAtOnce(nodes, bots[0])
  expect(accepted.length).toBeGreaterThan(0)
  await load.more(20)

  await fail()
  await eventually(areReady).toEqual([false, false])
  accepted.push(...(await askAtOnce(nodes, bots[0])))
  await load.more(20)
  await promoted()
  await eventually(areReady).toEqual([true, true])
  accepted.push(...(await askAtOnce(nodes, bots[0])))
  // Once more when they are counted in Redis again.
  await eventually(areCountingInRedis).toEqual([true, true])
  accepted.push(...(await askAtOnce(nodes, bots[0])))
  expectWithinQuota(accepted)
  await load.more(20)

  if (returned) {
    await returned()
    await load.more(20)
    await eventually(areReady).toEqual([true, true])
  }
  await load.expectNothingLost()
}
