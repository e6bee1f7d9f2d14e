import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { LIMITS } from '@portico/contract'
import type { Pool } from 'pg'
import { Deadline } from '../db/deadline.ts'
import { Refusal } from '../operations/refusal.ts'
import { RedisUnavailable, type Redis } from '../redis/redis.ts'
import type { Log } from '../telemetry/log.ts'
import { CountingStore, type AcceptedAges, type Counting } from './counting-store.ts'
import type { Quotas, Taken } from './quotas.ts'
import { RedisWindows } from './redis-windows.ts'
import { SlidingWindow } from './sliding-window.ts'

const MICROSECONDS = 1000
const SECOND = 1_000_000
/** In milliseconds: less than the deadline of a request. */
const TAKE_TIMEOUT = 9000
const CONFIRM_INTERVAL = 1000
/** In milliseconds: how long a confirmation is trusted, counted from when it was sent. */
const VALIDITY = 3000
/** In milliseconds: more than the clocks of two machines can drift apart in that time. */
const CLOCK_MARGIN = 500
/** In milliseconds: a Redis that comes and goes is not used. */
const SETTLED_AFTER = 3000
const PENDING_PAUSE = 50

interface Options {
  readonly pool: Pool
  readonly redis: Redis
  /** Identifies this node. */
  readonly id: string
  readonly log: Log
  /** In milliseconds: the length of a window. */
  readonly length?: number
}

/**
 * Quotas of a cluster, exact over all nodes (docs/decisions/0014-quotas.md). They are counted in Redis, and in the database
 * while any node can't reach Redis, or Redis has forgotten them. The database says where. A node accepts nothing in Redis
 * unless the database has confirmed the place within the last `VALIDITY`; so after a change, all other nodes have stopped
 * using the former place within that time, and each reports what it accepted there before anything else is accepted.
 */
export class RedisQuotas implements Quotas {
  readonly #store: CountingStore
  readonly #redis: Redis
  readonly #windows: RedisWindows
  readonly #log: Log
  readonly #length: number
  #counting: Counting | undefined
  /** When the last confirmation was sent. A monotonic clock never jumps; a wall clock runs while the machine sleeps. */
  #confirmed: { readonly monotonic: number; readonly wall: number } | undefined
  #confirming: Promise<Counting> | undefined
  #losing: Promise<void> | undefined
  /** This node lost Redis in that epoch, and must not count there anymore: a fail-over may have lost answers. */
  #lostEpoch = 0
  /** What this node accepted in Redis since it reported last. */
  #accepted = new Map<string, SlidingWindow>()
  #reported = 0
  #swept = 0
  #readySince = -Infinity
  #timer: NodeJS.Timeout | undefined
  #isStopping = false

  constructor({ pool, redis, id, log, length = LIMITS.quotaWindow * 1000 }: Options) {
    this.#store = new CountingStore({ pool, id, length, validity: VALIDITY + CLOCK_MARGIN })
    this.#windows = new RedisWindows(redis, length * MICROSECONDS)
    this.#redis = redis
    this.#log = log
    this.#length = length * MICROSECONDS
  }

  /** False while Redis is not available: requests are counted in the database. */
  get isInRedis(): boolean {
    return typeof this.#counting?.token === 'string'
  }

  async start(): Promise<void> {
    this.#redis.onChange((isReady) => this.#onChange(isReady))
    await this.#tick()
    this.#timer = setInterval(() => {
      this.#tick().catch((error: unknown) =>
        this.#log.warn({ err: error }, 'confirming where quotas are counted failed'),
      )
    }, CONFIRM_INTERVAL).unref()
  }

  /** Leaves what this node accepted to the others. Nothing may be accepted after this. */
  async stop(): Promise<void> {
    this.#isStopping = true
    clearInterval(this.#timer)
    await this.#confirming?.catch(() => undefined)
    await this.#store.leave(this.#agesAccepted())
  }

  async take(subject: string, limit: number): Promise<Taken> {
    const deadline = new Deadline(TAKE_TIMEOUT)
    while (!deadline.isOver) {
      const counting = await this.#current()
      const taken = await (counting.token === null
        ? this.#takeInDatabase(subject, limit)
        : this.#takeInRedis(counting, counting.token, subject, limit))
      if (taken) return taken
    }
    throw new Refusal('timeout')
  }

  async remaining(subject: string, limit: number): Promise<number> {
    return Math.max(0, limit - (await this.#ages(subject)).length)
  }

  async freeing(subject: string): Promise<readonly number[]> {
    const ages = await this.#ages(subject)
    if (ages.length === 0) return []
    const steps = Array.from({ length: Math.ceil(this.#length / SECOND) }, () => 0)
    for (const age of ages) {
      const index = Math.max(0, Math.ceil((this.#length - age) / SECOND) - 1)
      steps[index] = (steps[index] ?? 0) + 1
    }
    return steps
  }

  /** Returns undefined if counting has to be done elsewhere. */
  async #takeInRedis(counting: Counting, token: string, subject: string, limit: number): Promise<Taken | undefined> {
    const taken = await this.#inRedis(counting, () => this.#windows.take(token, subject, limit))
    if (!taken) return undefined
    if (!this.#isConfirmed) await this.#confirm()
    // The answer may be late. From this check on, nothing may be awaited until the request is noted as accepted.
    if (this.#counting !== counting || !this.#isConfirmed) return undefined
    if (!taken.isAccepted) return { retryAfterSec: inSeconds(taken.wait) }
    const now = microseconds()
    const window = this.#acceptedFor(subject)
    window.charge(now, 1)
    const giveBack = (): void => {
      // What has been reported can't be taken back.
      if (this.#counting !== counting) return
      window.giveBack(now)
      this.#inBackground(this.#inRedis(counting, () => this.#windows.giveBack(token, subject, taken.takenAt)))
    }
    return { giveBack, remaining: taken.remaining }
  }

  async #takeInDatabase(subject: string, limit: number): Promise<Taken | undefined> {
    const { state, remaining, takenAt, wait } = await this.#store.take(subject, limit)
    if (state === 'accepted' && takenAt !== null) {
      const giveBack = (): void => this.#inBackground(this.#store.giveBack(subject, takenAt))
      return { giveBack, remaining: remaining ?? 0 }
    }
    if (state === 'refused' || state === 'unknown') return { retryAfterSec: inSeconds(wait ?? 0) }
    if (state === 'pending') await sleep(PENDING_PAUSE)
    await this.#confirm()
    return undefined
  }

  async #ages(subject: string): Promise<readonly number[]> {
    const counting = await this.#current()
    const { token } = counting
    const ages = token === null ? undefined : await this.#inRedis(counting, () => this.#windows.ages(token, subject))
    return ages ?? this.#store.ages(subject)
  }

  /** Returns undefined if Redis is away or has forgotten the counters, and then moves counting to the database. */
  async #inRedis<T>(counting: Counting, ask: () => Promise<T | undefined>): Promise<T | undefined> {
    if (counting.epoch > this.#lostEpoch) {
      const answer = await ask().catch((error: unknown) => {
        if (error instanceof RedisUnavailable) return undefined
        throw error
      })
      if (answer !== undefined) return answer
    }
    await this.#lose(counting)
    return undefined
  }

  #lose({ epoch }: Counting): Promise<void> {
    this.#lostEpoch = Math.max(this.#lostEpoch, epoch)
    return (this.#losing ??= this.#moveToDatabase(epoch).finally(() => {
      this.#losing = undefined
    }))
  }

  async #moveToDatabase(epoch: number): Promise<void> {
    if (await this.#store.lose(epoch)) this.#log.warn('quotas are counted in the database while Redis is not available')
    // A confirmation under way may be from before.
    await this.#confirming?.catch(() => undefined)
    await this.#confirm()
  }

  async #moveToRedis(): Promise<void> {
    const token = randomUUID()
    try {
      const isMoved = await this.#store.moveToRedis(token, (accepted) => this.#windows.load(token, accepted))
      if (isMoved) this.#log.info('quotas are counted in Redis')
    } catch (error) {
      if (!(error instanceof RedisUnavailable)) throw error
    }
    await this.#confirm()
  }

  async #tick(): Promise<void> {
    this.#sweep()
    const { token } = await this.#confirm()
    const isSettled = this.#redis.isReady && performance.now() - this.#readySince > SETTLED_AFTER
    if (token === null && isSettled && !this.#isStopping) await this.#moveToRedis()
  }

  #onChange(isReady: boolean): void {
    this.#readySince = performance.now()
    const counting = this.#counting
    if (!isReady && counting?.token && !this.#isStopping) this.#inBackground(this.#lose(counting))
  }

  /** Where to count, confirmed lately. */
  async #current(): Promise<Counting> {
    const counting = this.#counting
    return counting && this.#isConfirmed ? counting : this.#confirm()
  }

  get #isConfirmed(): boolean {
    if (this.#confirmed === undefined) return false
    const { monotonic, wall } = this.#confirmed
    return performance.now() - monotonic < VALIDITY && Math.abs(Date.now() - wall) < VALIDITY
  }

  #confirm(): Promise<Counting> {
    return (this.#confirming ??= this.#readCounting().finally(() => {
      this.#confirming = undefined
    }))
  }

  async #readCounting(): Promise<Counting> {
    const sent = { monotonic: performance.now(), wall: Date.now() }
    const read = await this.#store.confirm(this.#redis.isReady)
    // From here on, late answers for the former place are void.
    if (read.epoch !== this.#counting?.epoch) this.#counting = read
    this.#confirmed = sent
    if (read.token === null && this.#reported < read.epoch) await this.#store.report(read.epoch, this.#agesAccepted())
    // A node that missed a whole epoch was waited for until nothing of its own was left in the windows.
    if (this.#reported < read.epoch) this.#accepted = new Map()
    this.#reported = read.epoch
    return this.#counting ?? read
  }

  #acceptedFor(subject: string): SlidingWindow {
    const known = this.#accepted.get(subject)
    if (known) return known
    const window = new SlidingWindow(this.#length)
    this.#accepted.set(subject, window)
    return window
  }

  /** Drops the windows of inactive applications, once per window length. */
  #sweep(): void {
    const now = microseconds()
    if (now - this.#swept < this.#length) return
    this.#swept = now
    for (const [subject, window] of this.#accepted) if (window.count(now) === 0) this.#accepted.delete(subject)
  }

  #agesAccepted(): AcceptedAges[] {
    const now = microseconds()
    return [...this.#accepted].map(([subject, window]) => ({ subject, ages: window.ages(now) }))
  }

  #inBackground(work: Promise<unknown>): void {
    work.catch((error: unknown) => this.#log.warn({ err: error }, 'updating quotas failed'))
  }
}

function microseconds(): number {
  return Math.round(performance.now() * MICROSECONDS)
}

function inSeconds(wait: number): number {
  return Math.max(1, Math.ceil(wait / SECOND))
}
