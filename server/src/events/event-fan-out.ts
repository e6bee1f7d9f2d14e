import { randomUUID } from 'node:crypto'
import { RedisUnavailable, script, type Redis } from '../redis/redis.ts'
import type { Log } from '../telemetry/log.ts'
import type { LoggedEvent } from './read-settled.ts'

/** The hash tag puts both on one shard of a Redis Cluster, where a script can use them together. */
const CHANNEL = '{log}:events'
const HIGHEST = '{log}:highest'
/** In seconds: longer than a portal without events is worth a key. Without it a node reads the log instead. */
const HIGHEST_EXPIRY = 86_400

const RAISE = `
  local highest = tonumber(redis.call('GET', KEYS[1]) or 0)
  if tonumber(ARGV[1]) > highest then
    highest = tonumber(ARGV[1])
    redis.call('SET', KEYS[1], ARGV[1], 'EX', ${HIGHEST_EXPIRY})
  end`

const PUBLISH = script(`${RAISE} redis.call('SPUBLISH', KEYS[2], ARGV[2])`)
const COMPARE = script(`${RAISE} return highest`)

/**
 * Carries committed events between the nodes of a cluster, so that they need not read each other's from the database. A message may be
 * lost, arrive late or out of order: the log of each node puts events in order and reads what is missing.
 *
 * All nodes receive all events through one channel, because any of them may have readers of any room, and because only the
 * whole log has consecutive positions, which show that nothing is missing.
 */
export class EventFanOut {
  readonly #redis: Redis
  readonly #log: Log
  /** Begins what this node publishes: it gets that back, too. */
  readonly #sender = randomUUID()
  #unpublished: LoggedEvent[] = []

  constructor(redis: Redis, log: Log) {
    this.#redis = redis
    this.#log = log
  }

  /** Whether the events of other nodes are likely to arrive by themselves. */
  get isReady(): boolean {
    return this.#redis.isReady
  }

  /** `onLost` is called when messages may have been lost. */
  async start(onEvents: (events: readonly LoggedEvent[]) => void, onLost: () => void): Promise<void> {
    await this.#redis.subscribe(CHANNEL, (message) => {
      if (message.startsWith(this.#sender)) return
      onEvents(JSON.parse(message.slice(this.#sender.length)) as LoggedEvent[])
    })
    this.#redis.onChange(onLost)
  }

  /** Publishes what is committed in one turn of the event loop as one message. */
  publish(events: readonly LoggedEvent[]): void {
    if (!this.isReady) return
    if (this.#unpublished.length === 0) setImmediate(() => void this.#publishAll())
    this.#unpublished.push(...events)
  }

  /**
   * Tells the other nodes how far this one is, and returns the highest position that any of them knows. Undefined without
   * Redis.
   */
  async compare(top: number): Promise<number | undefined> {
    try {
      return Number(await this.#redis.run(COMPARE, [HIGHEST], [String(top)]))
    } catch (error) {
      if (error instanceof RedisUnavailable) return undefined
      throw error
    }
  }

  async #publishAll(): Promise<void> {
    const events = this.#unpublished
    this.#unpublished = []
    const highest = events.reduce((most, { seq }) => Math.max(most, seq), 0)
    try {
      await this.#redis.run(PUBLISH, [HIGHEST, CHANNEL], [String(highest), this.#sender + JSON.stringify(events)])
    } catch (error) {
      // The other nodes learn from the next comparison that they have to read.
      this.#log.debug({ err: error }, 'publishing events to Redis failed')
    }
  }
}
