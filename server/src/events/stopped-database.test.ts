import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { LIMITS } from '@portico/contract'
import { describe, expect, onTestFinished, test } from 'vitest'
import { setUpCode } from '../accounts/set-up.ts'
import { channelFixture } from '../../test/channel-fixture.ts'
import { eventually } from '../../test/eventually.ts'
import { filesFolder } from '../../test/files-folder.ts'
import { distantPostgres } from '../../test/distant-postgres.ts'
import { freezablePostgres, type FreezablePostgres } from '../../test/freezable-postgres.ts'
import { Person } from '../../test/person.ts'
import { startPortico } from '../../test/portico-process.ts'
import { RedisServer, redisProgram } from '../../test/redis.ts'
import { relay } from '../../test/relay-between-machines.ts'
import { canSeparate, twoMachines } from '../../test/separate-machines.ts'
import { startNode } from '../../test/start-node.ts'
import { startTightWriters } from '../../test/tight-writers.ts'
import { atFileEnd, oncePerFile } from '../../test/file-end.ts'

const DEADLINE = LIMITS.requestDeadline * 1000
const LOOPBACK = '127.0.0.1'
const isPossible = redisProgram !== undefined && process.platform === 'linux'

/** Nodes that share a database and Redis, and the addresses under which this process reaches both. */
interface Nodes {
  readonly postgres: FreezablePostgres
  readonly here: { readonly databaseUrl: string; readonly redisUrl: string }
  /** Starts one and returns its address. */
  start(settings: Record<string, string>, onEnd: () => void): Promise<string>
}

/** On this machine, as is the database. */
async function nodesHere(): Promise<Nodes> {
  const [postgres, redis] = [await freezablePostgres(), await startRedis()]
  return {
    postgres,
    here: { databaseUrl: postgres.url, redisUrl: redis.url },
    async start(settings, onEnd) {
      const { url, ended } = await startPortico({ DATABASE_URL: postgres.url, REDIS_URL: redis.url, ...settings })
      void ended.then(onEnd)
      return url
    },
  }
}

/** On one machine, and the database on another. */
async function nodesApart(): Promise<Nodes> {
  const [near, far] = await twoMachines()
  const [postgres, redis] = [await distantPostgres(near, far), await startRedis()]
  const folder = await mkdtemp(join(tmpdir(), 'portico-sockets-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const toRedis = { path: join(folder, 'redis') }
  await relay(toRedis, { host: LOOPBACK, port: redis.port })
  const redisPort = await relay({ host: LOOPBACK, port: 0 }, toRedis, near)
  return {
    postgres,
    here: { databaseUrl: postgres.urlHere, redisUrl: redis.url },
    async start(settings, onEnd) {
      const all = { DATABASE_URL: postgres.url, REDIS_URL: `redis://${LOOPBACK}:${redisPort}`, ...settings }
      const { url, ended } = await startPortico(all, { through: near.through })
      void ended.then(onEnd)
      const port = Number(new URL(url).port)
      const toNode = { path: join(folder, String(port)) }
      await relay(toNode, { host: LOOPBACK, port }, near)
      return `http://${LOOPBACK}:${await relay({ host: LOOPBACK, port: 0 }, toNode)}`
    },
  }
}

async function startRedis(): Promise<RedisServer> {
  const redis = await RedisServer.start()
  atFileEnd(() => redis.kill())
  return redis
}

const world = oncePerFile(() => worldOf(nodesHere))

/** Nodes that are processes of their own, so that one of them can die, and one in this process that nothing is sent to. */
async function worldOf(make: () => Promise<Nodes>) {
  const { postgres, here, start } = await make()
  const settings = {
    FILES_FOLDER: await filesFolder(),
    PORTICO_SECRET: 'the secret of all nodes of a test cluster',
    RATE_LIMIT_FACTOR: '1000',
  }
  const server = await startNode({ DATABASE_URL: here.databaseUrl, REDIS_URL: here.redisUrl, ...settings })
  const portal = { server, administrator: await new Person(server).setUp(setUpCode(server.services.secret)) }
  const { bots, room } = await channelFixture({ bots: 1, portal })
  return { postgres, bot: bots[0], room, start: (onEnd: () => void) => start(settings, onEnd) }
}

describe.skipIf(!isPossible)('a cluster whose PostgreSQL', { timeout: 600_000 }, () => {
  test.each([
    { nodes: 1, writers: 3 },
    { nodes: 1, writers: 40 },
    { nodes: 3, writers: 3 },
    { nodes: 3, writers: 40 },
  ])('is stopped answers $writers bots that write without a pause, and loses none of $nodes nodes', (given) =>
    survive(world(), given),
  )

  test.skipIf(!canSeparate)(
    'can’t be reached answers 40 bots that write without a pause, and loses none of 3 nodes',
    () => survive(worldOf(nodesApart), { nodes: 3, writers: 40 }),
  )
})

async function survive(
  made: ReturnType<typeof worldOf>,
  { nodes, writers }: { nodes: number; writers: number },
): Promise<void> {
  const { postgres, bot, room, start } = await made
  const ended: number[] = []
  const urls = await Promise.all(Array.from({ length: nodes }, (_, index) => start(() => void ended.push(index))))
  const load = startTightWriters({ bot, room, urls: () => urls, count: writers })
  const more = async (status: number): Promise<void> => {
    const before = load.answered(status)
    await eventually(() => load.answered(status)).toBeGreaterThan(before + writers)
  }
  await more(201)
  // Longer than a deadline: it resumes while requests that have missed theirs still wait for it.
  await postgres.freeze()
  await sleep(DEADLINE + 3000)
  await postgres.resume()
  await more(201)
  // So long that everyone gets an answer while it is stopped.
  await postgres.freeze()
  await more(504)
  await postgres.resume()
  await more(201)
  await load.expectContract()
  expect(ended).toEqual([])
}
