import { ERRORS } from '@portico/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import { setUpCode } from '../accounts/set-up.ts'
import { channelFixture, type Portal } from '../../test/channel-fixture.ts'
import { eventually } from '../../test/eventually.ts'
import { atFileEnd } from '../../test/file-end.ts'
import { filesFolder } from '../../test/files-folder.ts'
import { startMessageLoad } from '../../test/message-load.ts'
import { Person } from '../../test/person.ts'
import { startPostgresPair, type PostgresPair } from '../../test/postgres-pair.ts'
import { postgresPrograms } from '../../test/postgres-server.ts'
import { redisProgram, RedisServer } from '../../test/redis.ts'
import { startNode, type TestServer } from '../../test/start-node.ts'
import { startBalancer } from '../../test/tcp-balancer.ts'

const TIMEOUT = ERRORS.timeout.status
const isPossible = postgresPrograms !== undefined && redisProgram !== undefined && process.platform === 'linux'

describe.skipIf(!isPossible)('a cluster with its own PostgreSQL', () => {
  let postgres: PostgresPair
  let nodes: readonly [TestServer, TestServer]
  let portal: Portal

  beforeAll(async () => {
    const redis = await RedisServer.start()
    atFileEnd(() => redis.kill())
    postgres = await startPostgresPair()
    await postgres.primary.query('CREATE DATABASE portico')
    // An address that always leads to the primary, as operators provide one.
    const address = await startBalancer(() => [postgres.primary.url()])
    const settings = {
      DATABASE_URL: `postgres://portico@${new URL(address.url).host}/portico`,
      REDIS_URL: redis.url,
      FILES_FOLDER: await filesFolder(),
      PORTICO_SECRET: 'the secret of all nodes of a cluster',
      DATABASE_POOL_SIZE: '10',
    }
    nodes = [await startNode(settings), await startNode(settings)]
    const [server] = nodes
    portal = { server, administrator: await new Person(server).setUp(setUpCode(server.services.secret)) }
  })

  const statuses = (path: string) => Promise.all(nodes.map(async ({ url }) => (await fetch(url + path)).status))

  test('answers 504 on all nodes while it hangs, and goes on by itself', async () => {
    const balancer = await startBalancer(() => nodes.map(({ url }) => url))
    const load = await startMessageLoad({ portal, through: balancer, repeated: [TIMEOUT] })
    const { bots } = await channelFixture({ bots: 1, portal })
    await load.more(20)

    await postgres.primary.freeze()
    const responses = nodes.map(({ url }) =>
      fetch(`${url}/api/v1/me`, { headers: { authorization: `Bot ${bots[0].key}` } }),
    )
    expect(await statuses('/readyz')).toEqual([503, 503])
    // Answered although it still hangs.
    expect((await Promise.all(responses)).map(({ status }) => status)).toEqual([TIMEOUT, TIMEOUT])
    await eventually(() => [...load.unacknowledged]).toEqual([TIMEOUT])

    await postgres.primary.resume()
    await eventually(() => statuses('/readyz')).toEqual([200, 200])
    await load.more(20)
    await load.expectNothingLost()
  })

  test('loses nothing acknowledged when its primary is killed and the replica takes over', async () => {
    const balancer = await startBalancer(() => nodes.map(({ url }) => url))
    // A request that waits for a commit when it is killed gets no response.
    const load = await startMessageLoad({ portal, through: balancer, repeated: [TIMEOUT, 'broken'] })
    await load.more(20)

    await postgres.failOver()
    await eventually(() => statuses('/readyz')).toEqual([200, 200])
    await load.more(50)
    await load.expectNothingLost()
    // Each node writes, and its webhook leases, quotas and serving lease are held on the new server.
    for (const { services } of nodes) await eventually(() => services.bus.lease.isHeld).toBe(true)
  })
})
