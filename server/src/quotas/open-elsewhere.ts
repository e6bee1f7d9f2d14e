import { randomUUID } from 'node:crypto'
import { RedisUnavailable, type Redis } from '../redis/redis.ts'
import type { Log } from '../telemetry/log.ts'

const CHANNEL = 'open'
/** In milliseconds: how often a node publishes its counts. */
const INTERVAL = 1000
/** In milliseconds: what a node published counts for this long. Longer than a few messages that were lost. */
const LIFE = 5000

interface Message {
  readonly node: string
  readonly counts: Readonly<Record<string, number>>
}

/**
 * The number of sockets that each person and address has open on the other nodes of a cluster, about a second ago. Without
 * Redis the number is 0, so each node then limits only its own sockets.
 */
export class OpenElsewhere {
  readonly #nodes = new Map<string, { readonly counts: Message['counts']; readonly expiresAt: number }>()

  count(subject: string): number {
    const now = performance.now()
    let count = 0
    for (const [node, { counts, expiresAt }] of this.#nodes) {
      if (now < expiresAt) count += counts[subject] ?? 0
      else this.#nodes.delete(node)
    }
    return count
  }

  /** Publishes what `own` returns, and receives the same from the others. Returns how to stop. */
  async share(own: () => ReadonlyMap<string, number>, redis: Redis, log: Log): Promise<() => void> {
    const node = randomUUID()
    await redis.subscribe(CHANNEL, (text) => {
      const { node: sender, counts } = JSON.parse(text) as Message
      if (sender !== node) this.#nodes.set(sender, { counts, expiresAt: performance.now() + LIFE })
    })
    let hadAny = false
    const publish = async (): Promise<void> => {
      const counts = own()
      // What was published before must not count any longer.
      if (counts.size === 0 && !hadAny) return
      const message: Message = { node, counts: Object.fromEntries(counts) }
      await redis.publish(CHANNEL, JSON.stringify(message))
      hadAny = counts.size > 0
    }
    const timer = setInterval(() => {
      publish().catch((error: unknown) => {
        if (!(error instanceof RedisUnavailable)) log.warn({ err: error }, 'sharing the number of sockets failed')
      })
    }, INTERVAL).unref()
    return () => clearInterval(timer)
  }
}
