import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import type { Log } from '../telemetry/log.ts'
import type { EventFanOut } from './event-fan-out.ts'
import { readSettled, type LoggedEvent, type Settled } from './read-settled.ts'

/** Receives events in order and without gaps. The next batch follows when this one was processed. */
export type EventListener = (events: readonly LoggedEvent[]) => void | Promise<void>

/** In milliseconds: how often the log is read without a wake-up. A lost wake-up costs this much time and no event. */
const POLL = 1000
/** The same while events arrive through Redis: only a node that died between a commit and its publication costs as much. */
const POLL_WITH_FAN_OUT = 5000
/** In milliseconds: how long a missing position may still arrive through Redis before the log is read. */
const GAP_PATIENCE = 20
/** Later events are read from the database. */
const MOST_WAITING = 10_000
/** The more expensive the last delivery, the longer the next one waits for more events: this share of its time, up to a limit. */
const PAUSE_SHARE = 1 / 4
const LONGEST_PAUSE = 5

/**
 * Follows the log. A commit of this process wakes it immediately. In a cluster the events of other nodes arrive through Redis;
 * without it they are found within a second.
 */
export class EventLog {
  readonly #pool: Pool
  readonly #log: Log
  readonly #fanOut: EventFanOut | undefined
  readonly #listeners = new Set<EventListener>()
  #top = 0
  #epoch = ''
  /** Committed by this process or received from another, and not yet delivered, by position. */
  readonly #written = new Map<number, LoggedEvent>()
  /** Called when the position after the top has been received. */
  #gapClosed: (() => void) | undefined
  /** Whether the log may have events that are not among those. */
  #look = true
  #lookedAt = 0
  /** Milliseconds from a wake-up to the next delivery. */
  #pause = 0
  #running: Promise<void> | undefined
  #woken = Promise.withResolvers<void>()
  #passed = Promise.withResolvers<void>()
  #stopping = false

  constructor(pool: Pool, log: Log, fanOut?: EventFanOut) {
    this.#pool = pool
    this.#log = log
    this.#fanOut = fanOut
  }

  /** The position up to which listeners have received everything. */
  get top(): number {
    return this.#top
  }

  /** Identifies this log: positions in another one have no meaning here. */
  get epoch(): string {
    return this.#epoch
  }

  listen(listener: EventListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /**
   * Waits until this process has read up to a position, which another process may have reached earlier. Returns false if the
   * log has no such position. Throws if it has, but this process doesn't get there in time.
   */
  async reaches(seq: number, timeout: number): Promise<boolean> {
    if (this.#top < seq && (await this.#end()) < seq) return false
    const deadline = performance.now() + timeout
    while (this.#top < seq) {
      const left = deadline - performance.now()
      if (left <= 0 || this.#stopping) throw new Error(`the event log was read up to ${this.#top} only, not to ${seq}`)
      this.#lookAgain()
      const pause = Promise.withResolvers<void>()
      const timer = setTimeout(pause.resolve, Math.min(left, 50))
      await Promise.race([this.#passed.promise, pause.promise])
      clearTimeout(timer)
    }
    return true
  }

  async start(): Promise<void> {
    this.#epoch = await eventEpoch(this.#pool)
    await this.#fanOut?.start(
      (events) => this.#receive(events),
      () => this.#lookAgain(),
    )
    this.#top = (await readSettled(this.#pool, null)).top
    this.#running = this.#follow()
  }

  async stop(): Promise<void> {
    this.#stopping = true
    this.#woken.resolve()
    await this.#running
  }

  /** Called after a commit of this process. Events that are not passed in are read. */
  wake(written: readonly LoggedEvent[] = []): void {
    if (written.length === 0) return this.#lookAgain()
    this.#receive(written)
    this.#fanOut?.publish(written)
  }

  #receive(events: readonly LoggedEvent[]): void {
    for (const event of events) {
      if (event.seq <= this.#top) continue
      if (this.#written.size < MOST_WAITING) this.#written.set(event.seq, event)
      else this.#look = true
      if (event.seq === this.#top + 1) this.#gapClosed?.()
    }
    this.#woken.resolve()
  }

  #lookAgain(): void {
    this.#look = true
    this.#woken.resolve()
  }

  async #end(): Promise<number> {
    const { rows } = await this.#pool.query<{ end: number | null }>('SELECT max(seq) AS end FROM events')
    return rows[0]?.end ?? 0
  }

  async #follow(): Promise<void> {
    const poll = setInterval(() => void this.#poll(), POLL)
    while (!this.#stopping) {
      this.#woken = Promise.withResolvers()
      try {
        const { events, top, more } = this.#nextWritten() ?? (await this.#nextAfterGap()) ?? (await this.#read())
        if (events.length > 0) await this.#deliver(events)
        if (top > this.#top) {
          this.#top = top
          this.#passed.resolve()
          this.#passed = Promise.withResolvers()
        }
        if (more) continue
      } catch (error) {
        this.#look = true
        this.#log.error({ err: error }, 'reading the event log failed; retrying')
      }
      poll.refresh()
      await this.#woken.promise
      // What is committed at the same moment is delivered together, after the responses were sent.
      if (this.#pause >= 1) await sleep(this.#pause)
      else await turn()
    }
    clearInterval(poll)
  }

  /** Asks Redis whether other nodes know of later events. Without it, and now and then with it, the log is read. */
  async #poll(): Promise<void> {
    const highest = this.#fanOut?.isReady ? await this.#fanOut.compare(this.#top) : undefined
    const isLate = performance.now() - this.#lookedAt >= POLL_WITH_FAN_OUT
    if (this.#look || highest === undefined || highest > this.#top || isLate) this.#lookAgain()
  }

  async #deliver(events: readonly LoggedEvent[]): Promise<void> {
    const start = performance.now()
    for (const listener of this.#listeners) await listener(events)
    this.#pause = Math.min((performance.now() - start) * PAUSE_SHARE, LONGEST_PAUSE)
  }

  /** What was written directly after the top: nothing earlier can be missing there. */
  #nextWritten(): Settled | undefined {
    const events: LoggedEvent[] = []
    for (let top = this.#top; ;) {
      const next = this.#written.get((top += 1))
      if (!next) break
      events.push(next)
    }
    for (const { seq } of events) this.#written.delete(seq)
    const top = events.at(-1)?.seq
    return top === undefined ? undefined : { events, top, more: true }
  }

  /** Messages of several nodes arrive out of order: the missing one is usually on its way. */
  async #nextAfterGap(): Promise<Settled | undefined> {
    this.#forgetDelivered()
    if (!this.#fanOut?.isReady || (!this.#look && this.#written.size === 0)) return undefined
    const closed = Promise.withResolvers<void>()
    this.#gapClosed = closed.resolve
    const timer = setTimeout(closed.resolve, GAP_PATIENCE)
    await closed.promise
    clearTimeout(timer)
    this.#gapClosed = undefined
    return this.#nextWritten()
  }

  async #read(): Promise<Settled> {
    if (!this.#look && this.#written.size === 0) return { events: [], top: this.#top, more: false }
    this.#look = false
    this.#lookedAt = performance.now()
    const settled = await readSettled(this.#pool, this.#top)
    if (settled.more) this.#look = true
    return settled
  }

  /** Events that arrived again, or while the log was read. */
  #forgetDelivered(): void {
    for (const seq of this.#written.keys()) if (seq <= this.#top) this.#written.delete(seq)
  }
}

/** Names the history of this log: a restored backup begins another one. */
export async function eventEpoch(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ epoch: string }>('SELECT event_epoch AS epoch FROM instance')
  return rows[0]?.epoch ?? ''
}
