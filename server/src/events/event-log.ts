import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import type { Log } from '../telemetry/log.ts'
import { readSettled, type LoggedEvent, type Settled } from './read-settled.ts'

/** Receives what happened, in order and without gaps. The next batch comes when this one is taken. */
export type EventListener = (events: readonly LoggedEvent[]) => void | Promise<void>

/** How often the log is looked at although nobody woke us: a lost wake-up costs this much and no event. */
const POLL = 1000
/** What was expensive to tell is worth waiting for more: so much of the time that it took, and no longer than this. */
const PAUSE_SHARE = 1 / 4
const LONGEST_PAUSE = 5

/** The tail of the log. A commit of this process wakes it at once; what anybody else writes is found within a second. */
export class EventLog {
  readonly #pool: Pool
  readonly #log: Log
  readonly #listeners = new Set<EventListener>()
  #top = 0
  #epoch = ''
  /** Committed by this process and not yet told, by position. */
  readonly #written = new Map<number, LoggedEvent>()
  /** There may be something in the log that we did not write. */
  #look = true
  /** Milliseconds from a wake-up to the next telling. */
  #pause = 0
  #running: Promise<void> | undefined
  #woken = Promise.withResolvers<void>()
  #passed = Promise.withResolvers<void>()
  #stopping = false

  constructor(pool: Pool, log: Log) {
    this.#pool = pool
    this.#log = log
  }

  /** The position up to which listeners were told everything. */
  get top(): number {
    return this.#top
  }

  /** Names this log: positions of another one mean nothing here. */
  get epoch(): string {
    return this.#epoch
  }

  listen(listener: EventListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /**
   * Waits until the log has come to a position, which another process may know of before us. False: there is no such
   * position. Throws when there is one and we do not come to it in time.
   */
  async reaches(seq: number, patience: number): Promise<boolean> {
    if (this.#top < seq && (await this.#end()) < seq) return false
    const deadline = performance.now() + patience
    while (this.#top < seq) {
      const left = deadline - performance.now()
      if (left <= 0 || this.#stopping) throw new Error(`the event log was read up to ${this.#top} only, not to ${seq}`)
      this.#lookAgain()
      const timer = Promise.withResolvers<void>()
      const timeout = setTimeout(timer.resolve, Math.min(left, 50))
      await Promise.race([this.#passed.promise, timer.promise])
      clearTimeout(timeout)
    }
    return true
  }

  async start(): Promise<void> {
    const { rows } = await this.#pool.query<{ epoch: string }>('SELECT event_epoch AS epoch FROM instance')
    this.#epoch = rows[0]?.epoch ?? ''
    this.#top = (await readSettled(this.#pool, null)).top
    this.#running = this.#follow()
  }

  async stop(): Promise<void> {
    this.#stopping = true
    this.#woken.resolve()
    await this.#running
  }

  /** Something was committed in this process. What is not given here is read. */
  wake(written: readonly LoggedEvent[] = []): void {
    for (const event of written) this.#written.set(event.seq, event)
    if (written.length === 0) this.#look = true
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
    const poll = setTimeout(() => this.#lookAgain(), POLL)
    while (!this.#stopping) {
      this.#woken = Promise.withResolvers()
      try {
        const { events, top, more } = this.#nextWritten() ?? (await this.#read())
        if (events.length > 0) await this.#tell(events)
        if (top > this.#top) {
          this.#top = top
          this.#passed.resolve()
          this.#passed = Promise.withResolvers()
        }
        if (more) continue
      } catch (error) {
        this.#look = true
        this.#log.error({ err: error }, 'the event log could not be read; trying again')
      }
      poll.refresh()
      await this.#woken.promise
      // What was committed at one moment is told together, and after it was answered.
      if (this.#pause >= 1) await sleep(this.#pause)
      else await turn()
    }
    clearTimeout(poll)
  }

  async #tell(events: readonly LoggedEvent[]): Promise<void> {
    const begun = performance.now()
    for (const listener of this.#listeners) await listener(events)
    this.#pause = Math.min((performance.now() - begun) * PAUSE_SHARE, LONGEST_PAUSE)
  }

  /** What this process wrote right behind the top: there, nothing earlier can be missing. */
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

  async #read(): Promise<Settled> {
    if (!this.#look && this.#written.size === 0) return { events: [], top: this.#top, more: false }
    this.#look = false
    const settled = await readSettled(this.#pool, this.#top)
    for (const seq of this.#written.keys()) if (seq <= settled.top) this.#written.delete(seq)
    return settled
  }
}
