import type { Metrics } from '../telemetry/metrics.ts'
import type { Redis } from './redis.ts'

/** Reports whether a node of a cluster reaches Redis. */
export function observeRedis({ metrics, redis }: { readonly metrics: Metrics; readonly redis?: Redis }): void {
  if (!redis) return
  metrics.gauge('portico_redis_up', 'Whether Redis is available', [], () => [[{}, redis.isReady ? 1 : 0]])
}
