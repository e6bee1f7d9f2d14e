import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import { batch } from '../db/batch.ts'
import { withTimeout } from '../outbound/with-timeout.ts'
import type { Log } from '../telemetry/log.ts'
import type { EventFanOut, FanOutState } from './event-fan-out.ts'
import { FanOutJoin } from './fan-out-join.ts'
import { FollowedChannels, type Begun } from './followed-channels.ts'
import { readLastPosition, readOfChannels, readSettled, type LoggedEvent, type Settled } from './read-settled.ts'
import { WrittenEvents } from './written-events.ts'

/** Receives events in order and without gaps. The next batch follows when this one was processed. */
export type EventListener = (events: readonly LoggedEvent[]) => void | Promise<void>

/** In milliseconds: how often the log is read without a wake-up. A lost wake-up costs this much time and no event. */
const POLL = 1000
/** The same while events arrive through Redis: only a node that died between a commit and its publication costs as much. */
const POLL_WITH_FAN_OUT = 5000
/** In milliseconds: how long a missing position may still arrive through Redis, at first and at most, before the log is read. */
const GAP_PATIENCE = 20
const LONGEST_PATIENCE = 320
/** After so many answers that are ahead of the messages, the connection of the messages is dead. */
const MOST_STALLS = 8
/** In milliseconds: without an answer by then the log is read. */
const ASK_TIMEOUT = 500
/** The more expensive the last delivery, the longer the next one waits for more events: this share of its time, up to a limit. */
const PAUSE_SHARE = 1 / 4
const LONGEST_PAUSE = 5

export interface EventLogOptions {
  readonly pool: Pool
  readonly log: Log
  /** Set for a node of a cluster. */
  readonly fanOut?: EventFanOut | undefined
  /** In milliseconds: for how long a channel is followed after it was left. */
  readonly linger?: number
}

/**
 * Follows the log. A commit of this process wakes it immediately. In a cluster the events of other nodes arrive through Redis, those of
 * channels that are followed; without Redis all of them are found within a second.
 */
export class EventLog {
  readonly #pool: Pool
  readonly #log: Log
  readonly #fanOut: EventFanOut | undefined
  readonly #join: FanOutJoin | undefined
  readonly #channels: FollowedChannels
  readonly #listeners = new Set<EventListener>()
  readonly #ownListeners = new Set<EventListener>()
  readonly #endListeners: ((channelId: string) => void)[] = []
  #top = 0
  /** The last position of the batch that is delivered now, or was last. */
  #end = 0
  #epoch = ''
  readonly #written = new WrittenEvents()
  /** Called when there may be something to deliver. */
  #changed: (() => void) | undefined
  /** Grows with the round trip to Redis: while that or this process is slow, a missing position is late rather than lost. */
  #leastPatience = GAP_PATIENCE
  #patience = GAP_PATIENCE
  /** Whether positions are known that listeners have not passed. */
  #isBehind = false
  /** How often Redis has said since then that they may. */
  #stalls = 0
  /** Whether the log may have events that are not among those. */
  #look = true
  #lookedAt = 0
  /** Of the log, as the database said when it was asked. */
  #lastPosition = 0
  /** Milliseconds from a wake-up to the next delivery. */
  #pause = 0
  #running: Promise<void> | undefined
  #woken = Promise.withResolvers<void>()
  #passed = Promise.withResolvers<void>()
  #stopping = false
  /** Those who ask at the same time share an answer. */
  readonly #refreshed = batch<void, void>(Infinity, async (pending) => {
    const asked = await withTimeout(this.#fanOut!.ask(this.#top), ASK_TIMEOUT).catch(() => undefined)
    if (asked?.state) await withTimeout(this.passes(asked.state.settled), ASK_TIMEOUT).catch(() => undefined)
    for (const { resolve } of pending) resolve()
  })

  constructor({ pool, log, fanOut, linger }: EventLogOptions) {
    this.#pool = pool
    this.#log = log
    this.#fanOut = fanOut
    this.#join = fanOut && new FanOutJoin({ pool, log, fanOut, onJoining: () => this.#lookAgain() })
    this.#channels = new FollowedChannels({
      begin: (channelIds) => this.#beginFollowing(channelIds),
      onEnd: (channelId) => {
        for (const listener of this.#endListeners) listener(channelId)
      },
      ...(linger !== undefined && { linger }),
    })
  }

  /** The position up to which listeners have received everything. */
  get top(): number {
    return this.#top
  }

  /** Identifies this log: positions in another one have no meaning here. */
  get epoch(): string {
    return this.#epoch
  }

  /** Calls it with the events of followed channels, with those of this process, and with all that join or leave a channel. */
  listen(listener: EventListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** The same, without what another process has published: between all of them, each event at least once. */
  listenToOwn(listener: EventListener): void {
    this.#ownListeners.add(listener)
  }

  /** Called when events of a channel may be missing from now on, because it is no longer followed. */
  listenToEnds(listener: (channelId: string) => void): void {
    this.#endListeners.push(listener)
  }

  /**
   * From the position that it returns, listeners receive all events of these channels. Each call is undone by one of `leave`.
   * A listener that waits for it while it processes someone's joining of one of them misses nothing after that.
   */
  async follow(channelIds: readonly string[]): Promise<number> {
    return this.#fanOut ? this.#channels.follow(channelIds) : 0
  }

  leave(channelIds: Iterable<string>): void {
    if (this.#fanOut) this.#channels.leave(channelIds)
  }

  /**
   * Waits until listeners have received what other nodes have published by now, unless that takes long. A node that follows no busy
   * channel learns only when it asks how far the log is.
   */
  async refresh(): Promise<void> {
    if (this.#fanOut?.settled !== undefined) await this.#refreshed()
  }

  /** Waits until listeners have received everything up to a position. Not for listeners. */
  async passes(seq: number): Promise<void> {
    while (this.#top < seq && !this.#stopping) await this.#passed.promise
  }

  /**
   * Waits until this process has read up to a position, which another process may have reached earlier. Returns false if the
   * log has no such position. Throws if it has, but this process doesn't get there in time.
   */
  async reaches(seq: number, timeout: number): Promise<boolean> {
    if (this.#top < seq && (await readLastPosition(this.#pool)) < seq) return false
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
    await this.#fanOut?.start({
      onEvents: (events) => this.#receive(events, true),
      onSettled: () => this.#onSettled(),
      onLost: () => {
        this.#join?.lose()
        this.#lookAgain()
      },
    })
    await this.#join?.join(this.#top)
    this.#top = (await readSettled(this.#pool, null)).top
    this.#end = this.#top
    this.#trust()
    this.#running = this.#follow()
  }

  async stop(): Promise<void> {
    this.#stopping = true
    this.#channels.stop()
    this.#woken.resolve()
    this.#passed.resolve()
    await this.#running
  }

  /** Called after a commit of this process. Events that are not passed in are read. */
  wake(written: readonly LoggedEvent[] = []): void {
    if (written.length === 0) return this.#lookAgain()
    this.#receive(written)
    this.#fanOut?.publish(written)
  }

  #receive(events: readonly LoggedEvent[], isFromOther = false): void {
    for (const event of events) {
      if (event.seq <= this.#end) continue
      if (!this.#written.add(event, { isFromOther })) this.#readFromNowOn()
      if (event.seq === this.#top + 1) this.#changed?.()
    }
    this.#woken.resolve()
  }

  #onSettled(): void {
    this.#changed?.()
    this.#woken.resolve()
  }

  #lookAgain(): void {
    this.#look = true
    this.#woken.resolve()
  }

  /** Something may be missing among what was received. */
  #readFromNowOn(): void {
    this.#fanOut?.distrust()
    this.#join?.lose()
    this.#look = true
  }

  async #follow(): Promise<void> {
    const poll = setInterval(() => this.#lookAgain(), POLL)
    while (!this.#stopping) {
      this.#woken = Promise.withResolvers()
      try {
        const { events, top, more } = this.#nextWritten() ?? (await this.#nextAfterGap()) ?? (await this.#read())
        if (events.length > 0) await this.#deliver(events, top)
        if (top > this.#top) {
          this.#top = top
          this.#end = top
          this.#patience = this.#leastPatience
          this.#stalls = 0
          this.#passed.resolve()
          this.#passed = Promise.withResolvers()
        }
        this.#trust()
        if (more) continue
      } catch (error) {
        this.#readFromNowOn()
        this.#log.error({ err: error }, 'reading the event log failed; retrying')
      }
      if (!this.#fanOut) poll.refresh()
      await this.#woken.promise
      // What is committed at the same moment is delivered together, after the responses were sent.
      if (this.#pause >= 1) await sleep(this.#pause)
      else await turn()
    }
    clearInterval(poll)
  }

  async #deliver(events: readonly LoggedEvent[], top: number): Promise<void> {
    this.#end = top
    const start = performance.now()
    for (const listener of this.#listeners) await listener(events)
    const own = events.filter((event) => !this.#written.isFromOther(event))
    if (own.length > 0) for (const listener of this.#ownListeners) await listener(own)
    this.#pause = Math.min((performance.now() - start) * PAUSE_SHARE, LONGEST_PAUSE)
  }

  #nextWritten(): Settled | undefined {
    return this.#written.take(this.#top, this.#fanOut?.settled ?? 0)
  }

  /** Messages of several nodes arrive out of order: the missing one is usually on its way. */
  async #nextAfterGap(): Promise<Settled | undefined> {
    this.#written.forgetUpTo(this.#top)
    const fanOut = this.#fanOut
    if (fanOut?.settled === undefined) return undefined
    const isBehind = this.#isBehind || !this.#written.isEmpty
    const next = isBehind ? await this.#nextWithin(this.#patience) : undefined
    if (next) return next
    if (this.#look || isBehind) await this.#ask(fanOut, isBehind)
    return fanOut.settled === undefined ? undefined : { events: [], top: this.#top, more: this.#isBehind }
  }

  async #nextWithin(milliseconds: number): Promise<Settled | undefined> {
    const deadline = performance.now() + milliseconds
    for (;;) {
      const next = this.#nextWritten()
      const left = deadline - performance.now()
      if (next || left <= 0 || this.#stopping || this.#fanOut?.settled === undefined) return next
      const changed = Promise.withResolvers<void>()
      this.#changed = changed.resolve
      const timer = setTimeout(changed.resolve, left)
      await changed.promise
      clearTimeout(timer)
      this.#changed = undefined
    }
  }

  /** Asks up to where all is settled: Redis says it as a message as well, after all that was published before. */
  async #ask(fanOut: EventFanOut, hasWaited: boolean): Promise<void> {
    this.#look = false
    await this.#lookForLastPosition()
    const start = performance.now()
    const asked = await withTimeout(fanOut.ask(this.#top), ASK_TIMEOUT).catch(() => undefined)
    this.#leastPatience = Math.min(Math.max(GAP_PATIENCE, 2 * (performance.now() - start)), LONGEST_PATIENCE)
    if (!asked?.state || fanOut.settled === undefined) return this.#readFromNowOn()
    const { settled } = asked.state
    this.#isBehind = this.#top < Math.max(settled, this.#lastPosition, asked.highest, this.#written.highest)
    if (!this.#isBehind || !hasWaited) return
    this.#patience = Math.min(this.#patience * 2, LONGEST_PATIENCE)
    if (settled > this.#top) {
      // The message that says it is late. Those before may never arrive either.
      this.#stalls += 1
      if (this.#stalls > MOST_STALLS) this.#readFromNowOn()
    } else if (await fanOut.takeRepair()) {
      await this.#repair(fanOut, asked.state)
    }
  }

  /** A node has died between a commit and its publication, or a transaction with a position was rolled back. */
  async #repair(fanOut: EventFanOut, state: FanOutState): Promise<void> {
    const read = await readSettled(this.#pool, state.settled)
    this.#receive(read.events)
    await fanOut.repair(state, read)
  }

  async #lookForLastPosition(): Promise<void> {
    const now = performance.now()
    if (now - this.#lookedAt < POLL_WITH_FAN_OUT) return
    this.#lookedAt = now
    this.#lastPosition = await readLastPosition(this.#pool)
  }

  async #read(): Promise<Settled> {
    if (!this.#look && this.#written.isEmpty) return { events: [], top: this.#top, more: false }
    this.#look = false
    this.#lookedAt = performance.now()
    this.#join?.begin(this.#top)
    const settled = await readSettled(this.#pool, this.#top)
    if (settled.more) this.#look = true
    return settled
  }

  #trust(): void {
    if (this.#join?.trust(this.#top)) this.#lookAgain()
  }

  /** What was published before the subscriptions is read, as far as it isn't delivered yet. */
  async #beginFollowing(channelIds: readonly string[]): Promise<ReadonlyMap<string, Begun>> {
    const fanOut = this.#fanOut
    if (!fanOut) return new Map()
    const ends = await Promise.all(channelIds.map((channelId) => fanOut.follow(channelId)))
    const missed = await readOfChannels(this.#pool, channelIds, this.#end)
    if (missed === undefined) this.#readFromNowOn()
    else this.#receive(missed, true)
    return new Map(
      channelIds.map((channelId, index) => [channelId, { since: this.#end, end: ends[index] ?? (() => {}) }]),
    )
  }
}

/** Names the history of this log: a restored backup begins another one. */
export async function eventEpoch(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ epoch: string }>('SELECT event_epoch AS epoch FROM instance')
  return rows[0]?.epoch ?? ''
}
