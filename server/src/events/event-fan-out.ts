import { randomBytes } from 'node:crypto'
import { MAC_LENGTH, type MessageMac } from '../redis/message-mac.ts'
import { RedisUnavailable, script, type Redis } from '../redis/redis.ts'
import type { Log } from '../telemetry/log.ts'
import type { LoggedEvent } from './read-settled.ts'

/** The hash tag puts both on one shard of a Redis Cluster, where a script can use them together. */
const CHANNEL = '{log}:events'
const HIGHEST = '{log}:highest'
/** In seconds: longer than a portal without events is worth a key. Without it a node reads the log instead. */
const HIGHEST_EXPIRY = 86_400

/** A message is the sender's name, the MAC of the rest, and the rest. Nodes of the previous version skip both. */
const SENDER_LENGTH = 14
const HEAD_LENGTH = SENDER_LENGTH + MAC_LENGTH
/** In milliseconds. */
const WARN_EVERY = 60_000

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
  readonly #mac: MessageMac
  /** Begins what this node publishes: it gets that back, too. */
  readonly #sender = randomBytes(10).toString('base64url')
  #unpublished: LoggedEvent[] = []
  #warnedAt = -Infinity

  constructor({ redis, mac }: { readonly redis: Redis; readonly mac: MessageMac }, log: Log) {
    this.#redis = redis
    this.#mac = mac
    this.#log = log
  }

  /** Whether the events of other nodes are likely to arrive by themselves. */
  get isReady(): boolean {
    return this.#redis.isReady
  }

  /** `onLost` is called when messages may have been lost, or can't be trusted. */
  async start(onEvents: (events: readonly LoggedEvent[]) => void, onLost: () => void): Promise<void> {
    await this.#redis.subscribe(CHANNEL, (message) => {
      if (message.startsWith(this.#sender)) return
      const events = message.slice(HEAD_LENGTH)
      if (this.#mac.isValid(CHANNEL, events, message.slice(SENDER_LENGTH, HEAD_LENGTH))) {
        onEvents(JSON.parse(events) as LoggedEvent[])
        return
      }
      this.#warn()
      onLost()
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
      const message = JSON.stringify(events)
      const head = this.#sender + this.#mac.of(CHANNEL, message)
      await this.#redis.run(PUBLISH, [HIGHEST, CHANNEL], [String(highest), head + message])
    } catch (error) {
      // The other nodes learn from the next comparison that they have to read.
      this.#log.debug({ err: error }, 'publishing events to Redis failed')
    }
  }

  #warn(): void {
    const now = performance.now()
    if (now - this.#warnedAt < WARN_EVERY) return
    this.#warnedAt = now
    this.#log.warn(
      'events in Redis are not from a node of this version with the same secret; reading them from the database',
    )
  }
}
