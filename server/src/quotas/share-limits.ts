import { randomUUID } from 'node:crypto'
import { RedisUnavailable, type Redis } from '../redis/redis.ts'
import type { Log } from '../telemetry/log.ts'
import type { RateLimiter } from './rate-limiter.ts'

const INTERVAL = 500

interface Message {
  readonly node: string
  readonly counts: Readonly<Record<string, number>>
}

/**
 * Lets a limiter count what the other nodes of the cluster accepted, half a second later. Costs no request a round trip. What
 * is lost while Redis is away is not counted elsewhere. Returns how to stop.
 */
export async function shareLimits(
  limits: 'people' | 'sockets',
  limiter: RateLimiter,
  redis: Redis,
  log: Log,
): Promise<() => void> {
  const node = randomUUID()
  const channel = `limits:${limits}`
  await redis.subscribe(channel, (text) => {
    const message = JSON.parse(text) as Message
    if (message.node === node) return
    for (const [subject, count] of Object.entries(message.counts)) limiter.charge(subject, count)
  })
  const publish = async (): Promise<void> => {
    const counts = limiter.drain()
    if (counts.size === 0) return
    const message: Message = { node, counts: Object.fromEntries(counts) }
    await redis.publish(channel, JSON.stringify(message))
  }
  const timer = setInterval(() => {
    publish().catch((error: unknown) => {
      if (!(error instanceof RedisUnavailable)) log.warn({ err: error }, 'sharing rate limits failed')
    })
  }, INTERVAL).unref()
  return () => clearInterval(timer)
}
