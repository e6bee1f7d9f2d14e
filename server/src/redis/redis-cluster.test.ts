import { LIMITS, messageCreated } from '@portico/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import { askAtOnce } from '../../test/accepted-requests.ts'
import { channelFixture, expectOk } from '../../test/channel-fixture.ts'
import { eventually } from '../../test/eventually.ts'
import { OpenPortal } from '../../test/open-portal.ts'
import { redisProgram } from '../../test/redis.ts'
import { startRedisCluster, stateOf, type RedisCluster } from '../../test/redis-cluster.ts'
import { expectFailOver, startClusterWith, type ClusterUnderTest } from '../../test/redis-fail-over.ts'

describe.skipIf(redisProgram === undefined)('a cluster with Redis Cluster', () => {
  let redis: RedisCluster
  let cluster: ClusterUnderTest

  beforeAll(async () => {
    redis = await startRedisCluster()
    cluster = await startClusterWith(redis.url)
  })

  test('counts quotas exactly, whichever shard they are on', async () => {
    const { nodes, portal } = cluster
    const { bots } = await channelFixture({ bots: 5, quotas: 'usual', portal })
    for (const bot of bots) {
      const accepted = [...(await askAtOnce(nodes, bot)), ...(await askAtOnce(nodes, bot))]
      expect(accepted).toHaveLength(LIMITS.requestQuota)
    }
  })

  test('delivers events to people on other nodes', async () => {
    const { nodes, portal } = cluster
    const { owner, people, room } = await channelFixture({ people: 1, portal })
    const open = await OpenPortal.of(nodes[1], people[0])
    expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text: 'Hello' }))
    expect((await open.next(messageCreated)).data.message.text).toBe('Hello')
  })

  test('loses no event when their shard changes', async () => {
    const { portal, areReady, startLoad } = cluster
    const { stopped } = watch(cluster)
    const load = await startLoad()
    await load.more(20)
    await moveSlot(redis, '{log}')
    // Their subscriptions ended, and nothing else says that messages were lost.
    await eventually(() => stopped.size).toBe(2)
    await load.more(20)
    await eventually(areReady).toEqual([true, true])
    await load.more(20)
    await load.expectNothingLost()
    expect(portal.server.services.redis?.isReady).toBe(true)
  })

  test('goes on when a primary is killed and its replica takes over', () =>
    expectFailOver(cluster, {
      fail: () => redis.primaries[0].kill(),
      promoted: () => eventually(async () => ((await redis.replica.ask('ROLE')) as unknown[])[0]).toBe('master'),
    }))

  test('goes on when a primary without a replica hangs, and uses Redis again when it resumes', async () => {
    const { areReady, startLoad } = cluster
    const load = await startLoad()
    const [, second, third] = redis.primaries
    await load.more(20)
    second.signal('SIGSTOP')
    await eventually(areReady).toEqual([false, false])
    await eventually(() => stateOf(third)).toBe('fail')
    await load.more(20)
    second.signal('SIGCONT')
    await eventually(areReady).toEqual([true, true])
    await load.more(20)
    await load.expectNothingLost()
  })
})

/** The nodes that lose Redis from now on. */
function watch({ nodes }: ClusterUnderTest): { readonly stopped: ReadonlySet<unknown> } {
  const stopped = new Set<unknown>()
  for (const { services } of nodes) services.redis?.onChange((isReady) => !isReady && stopped.add(services))
  return { stopped }
}

/** Moves the slot of a key to another primary, as an administrator does who adds a shard. */
async function moveSlot({ primaries }: RedisCluster, key: string): Promise<void> {
  const slot = String(await primaries[0].ask('CLUSTER', 'KEYSLOT', key))
  const ids = await Promise.all(primaries.map(async (server) => String(await server.ask('CLUSTER', 'MYID'))))
  const from = Math.floor((Number(slot) * primaries.length) / 16_384)
  const to = (from + 1) % primaries.length
  const [source, target] = [primaries[from], primaries[to]]
  if (!source || !target) throw new Error(`no primary has slot ${slot}`)
  await target.ask('CLUSTER', 'SETSLOT', slot, 'IMPORTING', ids[from] ?? '')
  await source.ask('CLUSTER', 'SETSLOT', slot, 'MIGRATING', ids[to] ?? '')
  for (;;) {
    const keys = (await source.ask('CLUSTER', 'GETKEYSINSLOT', slot, '100')) as string[]
    if (keys.length === 0) break
    await source.ask('MIGRATE', '127.0.0.1', String(target.port), '', '0', '5000', 'KEYS', ...keys)
  }
  for (const server of [target, source]) await server.ask('CLUSTER', 'SETSLOT', slot, 'NODE', ids[to] ?? '')
}
