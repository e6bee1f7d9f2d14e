import { randomBytes, randomInt } from 'node:crypto'
import { memberJoined, memberLeft } from '@portico/contract'
import { MAC_LENGTH, type MessageMac } from '../redis/message-mac.ts'
import { RedisUnavailable, type Redis } from '../redis/redis.ts'
import type { Log } from '../telemetry/log.ts'
import { ASK, BEGIN, PUBLISH, REPAIR, TAKE_REPAIR } from './fan-out-scripts.ts'
import { TOKEN_RANGE, type PositionTokens } from './position-tokens.ts'
import type { LoggedEvent, Settled } from './read-settled.ts'

/** The hash tag puts all on one shard of a Redis Cluster: scripts use them together, and messages keep their order. */
const STATE = '{log}:state'
const AHEAD = '{log}:ahead'
const HIGHEST = '{log}:highest'
const REPAIRING = '{log}:repairing'
const MEMBERSHIPS = '{log}:memberships'
const MEMBERSHIP_EVENTS: ReadonlySet<string> = new Set([memberJoined.event, memberLeft.event])

/** What the sender writes begins with its name and a MAC. */
const SENDER_LENGTH = 14
const HEAD_LENGTH = SENDER_LENGTH + MAC_LENGTH
/** More positions than can pass between two messages that a node receives. */
const MOST_PASSED = 1_000_000
/** In milliseconds. */
const WARN_EVERY = 60_000

/** Up to where Redis says that all is settled. */
export interface FanOutState {
  /** Names the history of this state: it differs once Redis has lost it. */
  readonly line: string
  readonly settled: number
  readonly sum: number
}

export interface FanOutListeners {
  /** Events of other nodes, in channels that this one follows. */
  readonly onEvents: (events: readonly LoggedEvent[]) => void
  /** `settled` may have risen. */
  readonly onSettled: () => void
  /** Messages may have been lost. */
  readonly onLost: () => void
}

/**
 * Carries committed events between the nodes of a cluster. A node receives those of channels that it follows, and everyone who joins
 * or leaves a channel. It can't tell from the positions whether anything is missing, because most belong to channels that it doesn't
 * follow. So scripts count in Redis up to where every position was published, and each message says it: what this node follows
 * and is not there by then doesn't exist, because Redis sends one connection its messages in the order of the scripts.
 */
export class EventFanOut {
  readonly #redis: Redis
  readonly #log: Log
  readonly #mac: MessageMac
  readonly #tokens: PositionTokens
  /** Begins what this node publishes: it gets that back, too. */
  readonly #sender = randomBytes(10).toString('base64url')
  readonly #ownTopic = `{log}:node:${this.#sender}`
  readonly #followed = new Set<string>()
  /** Subscriptions that Redis has not confirmed. */
  readonly #beginning = new Set<Promise<unknown>>()
  #listeners: FanOutListeners | undefined
  /** What this node has verified last. Undefined while messages may be missing. */
  #verified: FanOutState | undefined
  #lost = Promise.withResolvers<void>()
  #unpublished: LoggedEvent[] = []
  #warnedAt = -Infinity

  constructor(
    { redis, mac, tokens }: { readonly redis: Redis; readonly mac: MessageMac; readonly tokens: PositionTokens },
    log: Log,
  ) {
    this.#redis = redis
    this.#mac = mac
    this.#tokens = tokens
    this.#log = log
  }

  get isReady(): boolean {
    return this.#redis.isReady
  }

  /** Up to where everything that this node follows has arrived. Undefined while it has to read the log. */
  get settled(): number | undefined {
    return this.#verified?.settled
  }

  async start(listeners: FanOutListeners): Promise<void> {
    this.#listeners = listeners
    await this.#subscribe(this.#ownTopic)
    await this.#subscribe(MEMBERSHIPS)
    this.#redis.onChange(() => this.#lose())
  }

  /** Resolves when every later event of the channel arrives, or Redis is lost. Returns how to end it. */
  async follow(channelId: string): Promise<() => void> {
    this.#followed.add(channelId)
    const subscribing = this.#subscribe(topicOf(channelId))
    if (this.isReady) await Promise.race([subscribing, this.#lost.promise])
    return () => {
      this.#followed.delete(channelId)
      void subscribing.then((end) => end())
    }
  }

  /**
   * What Redis has counted, and the highest position that any node knows. Undefined without Redis; the state is undefined if it
   * has none. Up to where all is settled arrives by itself as well, after all that was published before.
   */
  async ask(top: number): Promise<{ state: FanOutState | undefined; highest: number } | undefined> {
    try {
      const keys = [STATE, AHEAD, HIGHEST, this.#ownTopic]
      const [line = '', settled, sum, highest] = (await this.#redis.run(ASK, keys, [String(top)])) as string[]
      const state = line === '' ? undefined : { line, settled: Number(settled), sum: Number(sum) }
      if (!state || !this.#continues(state)) this.distrust()
      return { state, highest: Number(highest) }
    } catch (error) {
      if (error instanceof RedisUnavailable) return undefined
      throw error
    }
  }

  /** Resolves when Redis has confirmed all subscriptions that began before. */
  async subscribed(): Promise<void> {
    await Promise.all(this.#beginning)
  }

  /** Begins to count, if no other node has, at a position up to which the log is settled. */
  async begin(top: number): Promise<void> {
    await this.#try(() => this.#redis.run(BEGIN, [STATE, AHEAD], [String(top), String(randomInt(1, TOKEN_RANGE - 1))]))
  }

  /** From this state on nothing was missed: what was published before has been read from the database. */
  trust(state: FanOutState): void {
    this.#verified = state
  }

  /** Until it trusts another state, this node reads the log. */
  distrust(): void {
    this.#verified = undefined
  }

  /** Publishes what is committed in one turn of the event loop together. */
  publish(events: readonly LoggedEvent[]): void {
    if (!this.isReady) return
    if (this.#unpublished.length === 0) setImmediate(() => void this.#publishAll())
    this.#unpublished.push(...events)
  }

  /** Whether this node is the one that repairs now. */
  async takeRepair(): Promise<boolean> {
    return (await this.#try(() => this.#redis.run(TAKE_REPAIR, [REPAIRING], []))) === 1
  }

  /** Publishes what a node has left behind that died, or lost Redis, after a commit: all that was read after a state. */
  async repair({ line, settled, sum }: FanOutState, { events, top }: Settled): Promise<void> {
    const messages = events.flatMap((event) =>
      topicsOf(event).map((topic) => ({ topic, seq: event.seq, message: this.#message(topic, [event]) })),
    )
    const keys = [STATE, AHEAD, HIGHEST, this.#ownTopic, REPAIRING, ...messages.map(({ topic }) => topic)]
    const seqs = messages.map(({ seq }) => seq).join(' ')
    const proof = String(this.#tokens.add(sum, settled, top))
    const args = [line, String(settled), String(top), proof, seqs, ...messages.map(({ message }) => message)]
    await this.#try(() => this.#redis.run(REPAIR, keys, args))
  }

  async #subscribe(topic: string): Promise<() => void> {
    const subscribing = this.#redis.subscribe(topic, (message) => this.#receive(topic, message))
    this.#beginning.add(subscribing)
    try {
      return await subscribing
    } finally {
      this.#beginning.delete(subscribing)
    }
  }

  #receive(topic: string, message: string): void {
    const first = message.indexOf(' ')
    const second = message.indexOf(' ', first + 1)
    const events = message.slice(second + 1)
    // Before up to where all is settled is noted: these are among it.
    if (events !== '' && !events.startsWith(this.#sender)) this.#receiveEvents(topic, events)
    this.#verify(Number(message.slice(0, first)), Number(message.slice(first + 1, second)))
  }

  #receiveEvents(topic: string, message: string): void {
    const events = message.slice(HEAD_LENGTH)
    if (this.#mac.isValid(topic, events, message.slice(SENDER_LENGTH, HEAD_LENGTH))) {
      this.#listeners?.onEvents(JSON.parse(events) as LoggedEvent[])
    } else {
      this.#warn()
    }
  }

  /** Only nodes of this portal know the tokens, and each gives its own away with its events. */
  #verify(settled: number, sum: number): void {
    const verified = this.#verified
    if (verified && settled > verified.settled) {
      if (!this.#isSum(sum, verified, settled)) return this.#warn()
      this.#verified = { ...verified, settled, sum }
    }
    this.#listeners?.onSettled()
  }

  /** Whether a state is what became of the one that was verified last. */
  #continues({ line, settled, sum }: FanOutState): boolean {
    const verified = this.#verified
    if (!verified || line !== verified.line) return false
    // The answer may have overtaken messages, or have been overtaken by them.
    return settled < verified.settled
      ? this.#isSum(verified.sum, { sum, settled }, verified.settled)
      : this.#isSum(sum, verified, settled)
  }

  #isSum(claimed: number, { sum, settled }: Pick<FanOutState, 'sum' | 'settled'>, upTo: number): boolean {
    return upTo - settled <= MOST_PASSED && this.#tokens.add(sum, settled, upTo) === claimed
  }

  #lose(): void {
    this.distrust()
    this.#lost.resolve()
    this.#lost = Promise.withResolvers()
    this.#listeners?.onLost()
  }

  async #publishAll(): Promise<void> {
    const events = this.#unpublished
    this.#unpublished = []
    const byTopic = new Map<string, LoggedEvent[]>()
    for (const event of events) {
      for (const topic of topicsOf(event)) {
        const before = byTopic.get(topic)
        if (before) before.push(event)
        else byTopic.set(topic, [event])
      }
    }
    const topics = [...byTopic.keys()]
    const keys = [STATE, AHEAD, HIGHEST, this.#ownTopic]
    const tokens = this.#tokens.of(events.map(({ seq }) => seq))
    const positions = events.flatMap((event, index) =>
      topicsOf(event).map((topic) => `${event.seq} ${tokens[index]} ${keys.length + 1 + topics.indexOf(topic)}`),
    )
    const isFollowed = events.every(({ channelId }) => this.#followed.has(channelId))
    const highest = events.reduce((most, { seq }) => Math.max(most, seq), 0)
    const messages = [...byTopic].map(([topic, ofTopic]) => this.#message(topic, ofTopic))
    const args = [positions.join(), isFollowed ? '0' : '1', String(highest), ...messages]
    // The other nodes learn from the next question that they have to read.
    await this.#try(() => this.#redis.run(PUBLISH, [...keys, ...topics], args))
  }

  #message(topic: string, events: readonly LoggedEvent[]): string {
    const message = JSON.stringify(events)
    return this.#sender + this.#mac.of(topic, message) + message
  }

  async #try<T>(run: () => Promise<T>): Promise<T | undefined> {
    try {
      return await run()
    } catch (error) {
      this.#log.debug({ err: error }, 'publishing events to Redis failed')
      return undefined
    }
  }

  #warn(): void {
    const now = performance.now()
    if (now - this.#warnedAt < WARN_EVERY) return
    this.#warnedAt = now
    this.#log.warn('messages about events in Redis are not from a node with the same secret; ignoring them')
  }
}

function topicOf(channelId: string): string {
  return `{log}:events:${channelId}`
}

/** Who joins or leaves is known to all nodes: one of them may have their sockets, and nobody else of the channel. */
function topicsOf({ channelId, event }: LoggedEvent): string[] {
  return MEMBERSHIP_EVENTS.has(event) ? [topicOf(channelId), MEMBERSHIPS] : [topicOf(channelId)]
}
