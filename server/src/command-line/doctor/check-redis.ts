import type { Config } from '../../config/config.ts'
import { StartError } from '../../db/start-error.ts'
import { Redis, script } from '../../redis/redis.ts'
import type { Log } from '../../telemetry/log.ts'
import { failure, ok, warning, type Finding, type Findings } from './finding.ts'

const REDIS = 'Redis'
const ROUND_TRIPS = 10
const INFO = script(`return redis.call('INFO', 'server') .. redis.call('INFO', 'memory')`)

/** Whether the nodes of a cluster can use the Redis that they share. */
export async function* checkRedis({ REDIS_URL }: Config, log: Log): Findings {
  if (REDIS_URL === null) return
  try {
    const redis = await Redis.open(REDIS_URL, { portal: 'doctor', log })
    try {
      const facts = factsIn(String(await redis.run(INFO, [], [])))
      yield await checkVersion(redis, facts)
      yield* checkEviction(facts)
    } finally {
      await redis.close()
    }
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    yield failure(REDIS, error.message, error.hint)
  }
}

type Facts = ReadonlyMap<string, string>

function factsIn(info: string): Facts {
  const lines = info.split('\r\n').map((line) => /^(\w+):(.*)$/.exec(line))
  return new Map(lines.flatMap((found) => (found ? [[found[1] ?? '', found[2] ?? '']] : [])))
}

async function checkVersion(redis: Redis, facts: Facts): Promise<Finding> {
  const valkey = facts.get('valkey_version')
  const [name, version, oldest] = valkey
    ? (['Valkey', valkey, 8] as const)
    : (['Redis', facts.get('redis_version') ?? '0', 7] as const)
  const text = `${name} ${version} at REDIS_URL`
  if (Number.parseInt(version, 10) < oldest) {
    return failure(REDIS, `${text} is too old`, 'Use Redis 7 or Valkey 8, or newer.')
  }
  const times: number[] = []
  for (let n = 0; n < ROUND_TRIPS; n += 1) times.push(await redis.roundTrip())
  const median = times.toSorted((one, other) => one - other)[ROUND_TRIPS / 2] ?? 0
  return ok(REDIS, `${text}, round trip ${median.toFixed(1)} ms`)
}

function* checkEviction(facts: Facts): Generator<Finding> {
  const policy = facts.get('maxmemory_policy') ?? 'noeviction'
  if (policy === 'noeviction') return
  yield warning(
    REDIS,
    `evicts quotas when its memory is full (maxmemory-policy ${policy})`,
    'Set maxmemory-policy noeviction in redis.conf.',
  )
}
