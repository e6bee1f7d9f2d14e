import { LIMITS } from '@portico/contract'
import type { ServingLease } from '../events/serving-lease.ts'
import type { Log } from '../telemetry/log.ts'
import { Refusal } from '../operations/refusal.ts'
import type { Quotas, Taken } from './quotas.ts'
import { SlidingWindow } from './sliding-window.ts'
import type { LoadedWindow, SavedWindow, WindowStore } from './window-store.ts'

const MILLISECOND = 1000
const SECOND = 1_000_000
const LENGTH = LIMITS.quotaWindow * SECOND
const SAVE_EVERY = 1000
/** In milliseconds: less than the deadline of a request. */
const LEASE_TIMEOUT = 9000

/** The share of the limit that may be accepted between two saves without a reservation. */
const FREE_SHARE = 1 / 6
/** How much is reserved until the next save, as a multiple of what was accepted since the last one. */
const RESERVE_FACTOR = 4

class Counted {
  readonly window: SlidingWindow
  /** What the previous process reserved, if it crashed and may have used the reservation without saving that. */
  owed: number | undefined
  limit = 0
  /** Accepted since the last save, and what that save reserved. */
  sinceSaved = 0
  reserved = 0
  /** The same for a save in progress. */
  sinceCounted = 0
  reserving: number | undefined
  /** A request waits for a reservation. */
  isWaitedFor = false

  constructor(window: SlidingWindow, owed: number | undefined) {
    this.window = window
    this.owed = owed
  }

  get isChanged(): boolean {
    return this.sinceSaved > 0 || this.reserved > 0 || this.isWaitedFor
  }

  /** Whether one more fits both what is in the store and what a save in progress may have put there. */
  allows(free: number): boolean {
    if (this.sinceSaved >= Math.max(free, this.reserved)) return false
    return this.reserving === undefined || this.sinceCounted < Math.max(free, this.reserving)
  }
}

interface Options {
  readonly store: WindowStore
  readonly lease: Pick<ServingLease, 'isHeld' | 'whenHeld'>
  readonly log: Log
  /** Milliseconds of a clock that never jumps: a corrected wall clock must not free or block anyone. */
  readonly clock?: () => number
}

/**
 * Quotas counted in this process, and exact even across a restart or a crash (docs/decisions/0014-quotas.md).
 * Windows are saved every second. How much may be accepted between two saves is limited in advance: to a share of the limit,
 * or to a reservation that was saved. After a crash, the next process counts all of that as accepted. So a request waits for
 * the store only in a burst, and then for one save together with the rest of the burst.
 */
export class WindowQuotas implements Quotas {
  readonly #store: WindowStore
  readonly #lease: Options['lease']
  readonly #log: Log
  readonly #clock: () => number
  readonly #counted = new Map<string, Counted>()
  #swept: number
  #saving: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  /** When this process started, if the previous one crashed. */
  #crashedBefore: number | undefined

  constructor({ store, lease, log, clock = () => performance.now() }: Options) {
    this.#store = store
    this.#lease = lease
    this.#log = log
    this.#clock = clock
    this.#swept = this.#now()
  }

  async start(): Promise<void> {
    const { windows, isComplete } = await this.#store.load()
    const now = this.#now()
    if (!isComplete) this.#crashedBefore = now
    for (const saved of windows) {
      const window = new SlidingWindow(LENGTH, timesOf(saved, now))
      const owed = isComplete ? undefined : saved.reserved
      if (owed !== undefined) window.charge(now, owed)
      const counted = new Counted(window, owed)
      // The charge must be in the store before anything else is accepted.
      counted.isWaitedFor = owed !== undefined
      this.#counted.set(saved.subject, counted)
    }
    await this.save()
  }

  /** Saves everything. Nothing may be accepted after this. */
  async stop(): Promise<void> {
    await this.#saving?.catch(() => undefined)
    await this.#save({ isLast: true })
    clearTimeout(this.#timer)
    // Within a window's length of a crash, the next process must account for it as well.
    if (!this.#mayOwe(this.#now())) await this.#store.complete()
  }

  async take(subject: string, limit: number): Promise<Taken> {
    // Another process may have taken over since the request arrived, and counts separately.
    if (!this.#lease.isHeld) return this.#takeWhenHeld(subject, limit)
    const now = this.#now()
    this.#sweep(now)
    const counted = this.#find(subject, limit, now)
    const free = this.#mayOwe(now) ? 0 : freeOf(limit)
    if (!counted.allows(free) && counted.window.count(now) < limit) {
      counted.isWaitedFor = true
      await this.save()
      return this.take(subject, limit)
    }
    const wait = counted.window.take(now, limit)
    if (wait > 0) return { retryAfterSec: Math.ceil(wait / SECOND) }
    counted.sinceSaved += 1
    counted.sinceCounted += 1
    this.#saveSoon()
    return { giveBack: () => counted.window.giveBack(now), remaining: limit - counted.window.count(now) }
  }

  async #takeWhenHeld(subject: string, limit: number): Promise<Taken> {
    if (!(await this.#lease.whenHeld(LEASE_TIMEOUT))) throw new Refusal('timeout')
    return this.take(subject, limit)
  }

  remaining(subject: string, limit: number): number {
    const now = this.#now()
    return Math.max(0, limit - this.#find(subject, limit, now).window.count(now))
  }

  async freeing(subject: string): Promise<readonly number[]> {
    return this.#counted.get(subject)?.window.freeing(this.#now(), SECOND) ?? []
  }

  /** Saves what has changed, or waits for a save in progress. */
  save(): Promise<void> {
    return (this.#saving ??= this.#save().finally(() => {
      this.#saving = undefined
    }))
  }

  async #save({ isLast = false } = {}): Promise<void> {
    const now = this.#now()
    const changed = [...this.#counted].filter(([, { isChanged }]) => isChanged)
    if (changed.length === 0) return
    const windows = changed.map(([subject, counted]): SavedWindow => {
      const { window, limit, sinceCounted, isWaitedFor } = counted
      const wanted = Math.max(RESERVE_FACTOR * sinceCounted, isWaitedFor ? freeOf(limit) : 0)
      const reserved = isLast ? 0 : Math.max(0, Math.min(limit - window.count(now), wanted))
      counted.reserving = reserved
      counted.sinceCounted = 0
      counted.isWaitedFor = false
      return { subject, accepted: window.accepted(now, SECOND), reserved }
    })
    try {
      await this.#store.save(windows)
      for (const [, counted] of changed) {
        counted.sinceSaved = counted.sinceCounted
        counted.reserved = counted.reserving ?? 0
      }
    } catch (error) {
      // The save may have succeeded although its answer was lost: further requests must fit the old and the new reservation.
      for (const [, counted] of changed) {
        const before = counted.sinceSaved - counted.sinceCounted
        counted.reserved = Math.min(counted.reserved, before + (counted.reserving ?? 0))
      }
      throw error
    } finally {
      for (const [, counted] of changed) counted.reserving = undefined
      // An unused reservation is released, so that no one is charged for it after a crash.
      if (changed.some(([, { isChanged }]) => isChanged)) this.#saveSoon()
    }
  }

  #saveSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.save().catch((error: unknown) => this.#log.warn({ err: error }, 'saving quotas failed'))
    }, SAVE_EVERY).unref()
  }

  #find(subject: string, limit: number, now: number): Counted {
    const known = this.#counted.get(subject)
    const counted = known ?? new Counted(new SlidingWindow(LENGTH), this.#mayOwe(now) ? 0 : undefined)
    if (!known) this.#counted.set(subject, counted)
    counted.limit = limit
    if (counted.owed !== undefined) {
      counted.window.charge(this.#crashedBefore ?? now, Math.max(0, freeOf(limit) - counted.owed))
      counted.owed = undefined
    }
    return counted
  }

  /** Whether the window may contain requests that a crashed process accepted and did not save. */
  #mayOwe(now: number): boolean {
    return this.#crashedBefore !== undefined && now - this.#crashedBefore < LENGTH
  }

  /** Whole microseconds: rounding errors of fractions would turn a wait of 60 seconds into 61. */
  #now(): number {
    return Math.round(this.#clock() * MILLISECOND)
  }

  /** Drops the windows of inactive applications, once per window length. */
  #sweep(now: number): void {
    if (now - this.#swept < LENGTH) return
    this.#swept = now
    for (const [subject, { window, isChanged, reserving }] of this.#counted) {
      if (window.count(now) === 0 && !isChanged && reserving === undefined) this.#counted.delete(subject)
    }
  }
}

function freeOf(limit: number): number {
  return Math.ceil(limit * FREE_SHARE)
}

/** The latest time at which each request can have been accepted, in order. */
function timesOf({ accepted, age }: LoadedWindow, now: number): number[] {
  const times = accepted.flatMap((count, seconds) => {
    const time = now - Math.floor(age * MILLISECOND) - seconds * SECOND
    return time > now - LENGTH ? Array.from({ length: count }, () => time) : []
  })
  return times.toReversed()
}
