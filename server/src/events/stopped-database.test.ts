import { setTimeout as sleep } from 'node:timers/promises'
import { LIMITS } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { setUpCode } from '../accounts/set-up.ts'
import { channelFixture } from '../../test/channel-fixture.ts'
import { eventually } from '../../test/eventually.ts'
import { filesFolder } from '../../test/files-folder.ts'
import { distantPostgres } from '../../test/distant-postgres.ts'
import { freezablePostgres, type FreezablePostgres } from '../../test/freezable-postgres.ts'
import { Person } from '../../test/person.ts'
import { startPortico } from '../../test/portico-process.ts'
import { RedisServer, redisProgram } from '../../test/redis.ts'
import { canSeparate } from '../../test/separate-machines.ts'
import { startNode } from '../../test/start-node.ts'
import { startTightWriters } from '../../test/tight-writers.ts'
import { atFileEnd, oncePerFile } from '../../test/file-end.ts'

const DEADLINE = LIMITS.requestDeadline * 1000
const isPossible = redisProgram !== undefined && process.platform === 'linux'

const stopped = oncePerFile(() => worldOn(freezablePostgres))
const distant = oncePerFile(() => worldOn(distantPostgres))

/** Nodes that are processes of their own, so that one of them can die, and one in this process that nothing is sent to. */
async function worldOn(start: () => Promise<FreezablePostgres>) {
  const postgres = await start()
  const redis = await RedisServer.start()
  atFileEnd(() => redis.kill())
  const settings = {
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    FILES_FOLDER: await filesFolder(),
    PORTICO_SECRET: 'the secret of all nodes of a test cluster',
    RATE_LIMIT_FACTOR: '1000',
  }
  const server = await startNode(settings)
  const portal = { server, administrator: await new Person(server).setUp(setUpCode(server.services.secret)) }
  const { bots, room } = await channelFixture({ bots: 1, portal })
  return { postgres, settings, bot: bots[0], room }
}

describe.skipIf(!isPossible)('a cluster whose PostgreSQL', { timeout: 600_000 }, () => {
  test.each([
    { nodes: 1, writers: 3 },
    { nodes: 1, writers: 40 },
    { nodes: 3, writers: 3 },
    { nodes: 3, writers: 40 },
  ])('is stopped answers $writers bots that write without a pause, and loses none of $nodes nodes', (given) =>
    survive(stopped, given),
  )

  test.skipIf(!canSeparate)(
    'can’t be reached answers 40 bots that write without a pause, and loses none of 3 nodes',
    () => survive(distant, { nodes: 3, writers: 40 }),
  )
})

async function survive(world: typeof stopped, { nodes, writers }: { nodes: number; writers: number }): Promise<void> {
  const { postgres, settings, bot, room } = await world()
  const started = await Promise.all(Array.from({ length: nodes }, () => startPortico(settings)))
  const ended: number[] = []
  for (const [index, node] of started.entries()) void node.ended.then(() => ended.push(index))
  const urls = started.map(({ url }) => url)
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
