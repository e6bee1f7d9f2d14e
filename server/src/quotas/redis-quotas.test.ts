import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { expectWithinLimit, type AcceptedRequest } from '../../test/accepted-requests.ts'
import { testDatabase } from '../../test/database.ts'
import { eventually } from '../../test/eventually.ts'
import { queryDatabase } from '../../test/query-database.ts'
import { redisProgram, RedisServer } from '../../test/redis.ts'
import { silentLog } from '../../test/silent-log.ts'
import { openDatabase } from '../db/open-database.ts'
import { Redis, script } from '../redis/redis.ts'
import { RedisQuotas } from './redis-quotas.ts'

const LIMIT = 20
/** In milliseconds: shorter than a minute, so that many windows pass in a test. */
const LENGTH = 3000

interface Node {
  readonly quotas: RedisQuotas
  readonly redis: Redis
}

/** Nodes that share a Redis and a database. */
async function startNodes(count: number, length = LENGTH) {
  const server = await RedisServer.start()
  onTestFinished(() => server.kill())
  const { url } = await testDatabase()
  const portal = randomUUID()
  const startNode = async (): Promise<Node> => {
    const database = await openDatabase({ url, log: silentLog })
    const redis = await Redis.open(server.url, { portal, log: silentLog })
    const quotas = new RedisQuotas({ pool: database.pool, redis, id: randomUUID(), log: silentLog, length })
    await quotas.start()
    onTestFinished(async () => {
      await quotas.stop()
      await redis.close()
      await database.close()
    })
    return { quotas, redis }
  }
  const nodes: Node[] = []
  for (let n = 0; n < count; n += 1) nodes.push(await startNode())
  return { server, nodes, startNode, url }
}

/** Sends requests of one application to all nodes until it is stopped. */
function hammer(nodes: readonly Node[], subject: string) {
  const accepted: AcceptedRequest[] = []
  const stop = new AbortController()
  const ended = nodes.map(async ({ quotas }) => {
    while (!stop.signal.aborted) {
      const sent = performance.now()
      const taken = await quotas.take(subject, LIMIT)
      if ('giveBack' in taken) accepted.push({ sent, answered: performance.now() })
      else await sleep(5)
    }
  })
  return {
    accepted,
    stop: async (): Promise<void> => {
      stop.abort()
      await Promise.all(ended)
    },
  }
}

const FORGET = script(`return redis.call('FLUSHALL')`)

describe.skipIf(redisProgram === undefined)('RedisQuotas', { timeout: 120_000 }, () => {
  test.each([
    { fault: 'restarts empty', begin: (server: RedisServer) => server.kill(), end: (s: RedisServer) => s.startAgain() },
    {
      fault: 'is silent for a while',
      begin: async (server: RedisServer) => server.signal('SIGSTOP'),
      end: async (server: RedisServer) => server.signal('SIGCONT'),
    },
  ])('never exceed the limit in total when Redis $fault', async ({ begin, end }) => {
    const { server, nodes } = await startNodes(3)
    const inRedis = () => nodes.map(({ quotas }) => quotas.isInRedis)
    const subject = `requests ${randomUUID()}`
    const { accepted, stop } = hammer(nodes, subject)
    const next = async (places: number): Promise<void> => {
      const before = accepted.length
      await eventually(() => accepted.length).toBeGreaterThanOrEqual(before + places)
    }
    await next(LIMIT)
    await begin(server)
    await eventually(inRedis).toEqual([false, false, false])
    // Requests are accepted while Redis is away.
    await next(2 * LIMIT)
    await end(server)
    await eventually(inRedis).toEqual([true, true, true])
    await next(2 * LIMIT)
    await stop()
    expectWithinLimit(accepted, LIMIT, LENGTH)
  })

  test('count all requests of one moment in one command', async () => {
    const { nodes } = await startNodes(1, 60_000)
    const [{ quotas, redis }] = nodes as [Node]
    await quotas.take('requests a', LIMIT)
    const run = vi.spyOn(redis, 'run')
    const subjects = Array.from({ length: 2 * LIMIT }, (_, index) => `requests ${index % 2 ? 'a' : 'b'}`)
    const taken = await Promise.all(subjects.map((subject) => quotas.take(subject, LIMIT)))
    expect(run).toHaveBeenCalledOnce()
    const remaining = (which: string) =>
      taken.flatMap((one, index) => (subjects[index] === which && 'remaining' in one ? one.remaining : []))
    const downFrom = (first: number) => Array.from({ length: first + 1 }, (_, index) => first - index)
    expect(remaining('requests a')).toEqual(downFrom(LIMIT - 2))
    expect(remaining('requests b')).toEqual(downFrom(LIMIT - 1))
    expect(taken.filter((one) => 'retryAfterSec' in one)).toHaveLength(1)
  })

  test('notice that Redis has forgotten everything, although it was never away', async () => {
    const { nodes } = await startNodes(2, 60_000)
    const [one, other] = nodes
    for (let n = 0; n < LIMIT - 1; n += 1) await one?.quotas.take('requests a', LIMIT)
    await one?.redis.run(FORGET, [], [])
    expect(await other?.quotas.take('requests a', LIMIT)).toMatchObject({ remaining: 0 })
    expect(await one?.quotas.take('requests a', LIMIT)).toHaveProperty('retryAfterSec')
  })

  test('remember what was accepted before, when Redis is lost a second time within a window', async () => {
    const { server, nodes } = await startNodes(2, 60_000)
    const allIn = (place: boolean) =>
      eventually(() => nodes.map(({ quotas }) => quotas.isInRedis)).toEqual(nodes.map(() => place))
    const takeAll = async () => {
      for (const { quotas } of nodes) await quotas.take('requests a', LIMIT)
    }
    await takeAll()
    await server.kill()
    await allIn(false)
    await takeAll()
    await server.startAgain()
    await allIn(true)
    await takeAll()
    await server.kill()
    await allIn(false)
    expect(await nodes[0]?.quotas.take('requests a', LIMIT)).toMatchObject({ remaining: LIMIT - 7 })
    await server.startAgain()
    await allIn(true)
    expect(await nodes[1]?.quotas.take('requests a', LIMIT)).toMatchObject({ remaining: LIMIT - 8 })
  })

  test('count what a stopped node accepted, even if Redis is lost afterwards', async () => {
    const { server, nodes, startNode } = await startNodes(2, 60_000)
    const [one, other] = nodes
    for (let n = 0; n < LIMIT - 1; n += 1) await one?.quotas.take('requests a', LIMIT)
    await one?.quotas.stop()
    await server.kill()
    expect(await other?.quotas.take('requests a', LIMIT)).toMatchObject({ remaining: 0 })
    await server.startAgain()
    const { quotas } = await startNode()
    expect(await quotas.take('requests a', LIMIT)).toHaveProperty('retryAfterSec')
    expect(await quotas.take('requests b', LIMIT)).toMatchObject({ remaining: LIMIT - 1 })
  })

  test('accept nothing until a window has passed if a node dies together with Redis', async () => {
    const { server, nodes, url } = await startNodes(1)
    const [survivor] = nodes
    await queryDatabase(
      url,
      `INSERT INTO quota_nodes SELECT gen_random_uuid(), epoch, true, clock_timestamp() FROM quota_counting`,
    )
    const died = performance.now()
    await server.kill()
    const refused = await survivor?.quotas.take('requests a', LIMIT)
    if (!refused || !('retryAfterSec' in refused))
      throw new Error('accepted, although the dead node may have accepted as many')
    await eventually(() => survivor?.quotas.take('requests a', LIMIT)).toHaveProperty('giveBack')
    expect(performance.now() - died).toBeGreaterThan(LENGTH)
  })
})
