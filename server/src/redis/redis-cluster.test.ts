import { LIMITS, messageCreated } from '@portico/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import { setUpCode } from '../accounts/set-up.ts'
import { askAtOnce, expectWithinQuota } from '../../test/accepted-requests.ts'
import { channelFixture, expectOk, type Portal } from '../../test/channel-fixture.ts'
import { eventually } from '../../test/eventually.ts'
import { startMessageLoad } from '../../test/message-load.ts'
import { OpenPortal } from '../../test/open-portal.ts'
import { Person } from '../../test/person.ts'
import { redisProgram } from '../../test/redis.ts'
import { startRedisCluster, stateOf, type RedisCluster } from '../../test/redis-cluster.ts'
import { startNodes, type Nodes } from '../../test/start-cluster.ts'
import { startBalancer } from '../../test/tcp-balancer.ts'

describe.skipIf(redisProgram === undefined)('a cluster with Redis Cluster', () => {
  let redis: RedisCluster
  let nodes: Nodes['nodes']
  let portal: Portal

  beforeAll(async () => {
    redis = await startRedisCluster()
    nodes = (await startNodes(redis.url)).nodes
    const [server] = nodes
    portal = { server, administrator: await new Person(server).setUp(setUpCode(server.services.secret)) }
  })

  const areReady = () => nodes.map(({ services }) => services.redis?.isReady)

  test('counts quotas exactly, whichever shard they are on', async () => {
    const { bots } = await channelFixture({ bots: 5, quotas: 'usual', portal })
    for (const bot of bots) {
      const accepted = [...(await askAtOnce(nodes, bot)), ...(await askAtOnce(nodes, bot))]
      expect(accepted).toHaveLength(LIMITS.requestQuota)
    }
  })

  test('delivers events to people on other nodes', async () => {
    const { owner, people, room } = await channelFixture({ people: 1, portal })
    const open = await OpenPortal.of(nodes[1], people[0])
    expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text: 'Hello' }))
    expect((await open.next(messageCreated)).data.message.text).toBe('Hello')
  })

  test('goes on when a primary is killed and its replica takes over', async () => {
    const balancer = await startBalancer(() => nodes.map(({ url }) => url))
    const load = await startMessageLoad({ portal, through: balancer })
    const { bots } = await channelFixture({ bots: 1, quotas: 'usual', portal })
    const accepted = await askAtOnce(nodes, bots[0])
    expect(accepted.length).toBeGreaterThan(0)
    await load.more(20)
    await redis.primaries[0].kill()
    await eventually(areReady).toEqual([false, false])
    accepted.push(...(await askAtOnce(nodes, bots[0])))
    await load.more(20)
    await eventually(async () => ((await redis.replica.ask('ROLE')) as unknown[])[0]).toBe('master')
    await eventually(areReady).toEqual([true, true])
    accepted.push(...(await askAtOnce(nodes, bots[0])))
    expectWithinQuota(accepted)
    await load.more(20)
    await load.expectNothingLost()
  })

  test('goes on when a primary without a replica hangs, and uses Redis again when it resumes', async () => {
    const balancer = await startBalancer(() => nodes.map(({ url }) => url))
    const load = await startMessageLoad({ portal, through: balancer })
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
