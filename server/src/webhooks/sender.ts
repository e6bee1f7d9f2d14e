import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../telemetry/log.ts'
import type { Attempt } from '../outbound/attempt.ts'
import { isFirstAttempt, MOST_AHEAD, type DueDelivery, type Wanted } from './due-deliveries.ts'
import type { Verdict } from './record-failure.ts'
import type { DeliveryTarget } from './delivery-target.ts'

const MOST_AT_ONCE = 8
/** How many successes may be unrecorded: after a crash, that many are sent again. */
const MOST_UNRECORDED = 64
const REPLAY_PACE = 100
/** An attempt that couldn't be recorded is repeated after a pause, so that the receiver isn't flooded. */
const UNRECORDED_PAUSE = 1000

/** The dependencies of a sender, which itself only schedules. */
export interface Sending {
  readonly due: (wanted: Omit<Wanted, 'applicationId'>) => Promise<readonly DueDelivery[]>
  readonly readTarget: (delivery: DueDelivery) => Promise<DeliveryTarget | undefined>
  readonly attempt: (delivery: DueDelivery, target: DeliveryTarget) => Promise<Attempt>
  /** Records an interrupted attempt and returns the updated delivery. */
  readonly brokeOff: (delivery: DueDelivery, attempt: Attempt) => Promise<DueDelivery>
  readonly succeeded: (delivery: DueDelivery, target: DeliveryTarget, attempt: Attempt) => Promise<void>
  readonly failed: (delivery: DueDelivery, target: DeliveryTarget, attempt: Attempt) => Promise<Verdict | undefined>
  readonly log: Log
}

/**
 * Sends for one application: first attempts in order within a room, eight at a time, and one at a time while the address
 * fails. A retry never delays newer events. The next delivery of a room is sent when the previous one was answered, without
 * waiting for the record unless it failed. An attempt on a closed keep-alive connection is repeated immediately, before
 * the next of its room.
 */
export class Sender {
  readonly #sending: Sending
  /** Due and not yet started, in sending order. */
  #ahead: DueDelivery[] = []
  readonly #underWay = new Map<string, { delivery: DueDelivery; done: Promise<void> }>()
  readonly #unrecorded = new Map<string, Promise<void>>()
  /** Lanes with possibly more due deliveries. */
  readonly #behind = new Set<string>()
  #failing: boolean
  #stopped = false
  #filling: Promise<void> | undefined
  #again = false
  /** There may be due deliveries that were not read yet. */
  #look = false
  /** When the next replayed delivery may be sent; the previous lease holder may just have sent one. */
  #replayAt = performance.now() + REPLAY_PACE
  #pacing: NodeJS.Timeout | undefined
  #usedAt = performance.now()

  constructor(sending: Sending, failing: boolean) {
    this.#sending = sending
    this.#failing = failing
  }

  /** Whether nothing has been running or due for this many milliseconds. */
  isIdleFor(milliseconds: number): boolean {
    const busy = this.#underWay.size + this.#unrecorded.size + this.#ahead.length > 0
    if (busy || this.#filling !== undefined || this.#pacing !== undefined) return false
    return performance.now() - this.#usedAt > milliseconds
  }

  /** Starts as many due deliveries as there is capacity for, optionally only in these lanes. */
  wake(lanes?: readonly string[]): void {
    if (lanes) {
      const busy = this.#busyLanes()
      if (lanes.every((lane) => busy.has(lane))) {
        for (const lane of lanes) this.#behind.add(lane)
        return
      }
    }
    this.#look = true
    this.#fillUp()
  }

  /** Starts nothing more and waits for running attempts. */
  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#pacing)
    await this.#filling
    await Promise.all([...this.#underWay.values()].map(({ done }) => done))
    await Promise.all(this.#unrecorded.values())
  }

  #fillUp(): void {
    this.#again = true
    this.#filling ??= this.#fill().finally(() => {
      this.#filling = undefined
      // Requested since the last read.
      if (this.#again && !this.#stopped) this.#fillUp()
    })
  }

  async #fill(): Promise<void> {
    while (this.#again && !this.#stopped) {
      this.#again = false
      this.#beginAhead()
      if (!this.#look || this.#room <= 0) continue
      this.#look = false
      try {
        await this.#lookAhead()
        this.#again = true
      } catch (error) {
        this.#sending.log.error({ err: error }, 'reading due deliveries failed')
      }
    }
  }

  get #room(): number {
    if (this.#unrecorded.size >= MOST_UNRECORDED) return 0
    return (this.#failing ? 1 : MOST_AT_ONCE) - this.#underWay.size
  }

  async #lookAhead(): Promise<void> {
    const known = [...this.#ahead.map(({ id }) => id), ...this.#underWay.keys(), ...this.#unrecorded.keys()]
    const busyLanes = this.#busyLanes()
    for (const lane of this.#behind) if (!busyLanes.has(lane)) this.#behind.delete(lane)
    const replayed = !this.#ahead.some((delivery) => delivery.replayed)
    const due = await this.#sending.due({ known, busyLanes: [...busyLanes], replayed })
    this.#ahead.push(...due)
    if (due.length < MOST_AHEAD) return
    // There may be more: in these lanes after their deliveries, and in others now.
    for (const { lane } of due) if (lane !== null) this.#behind.add(lane)
    this.#look = true
  }

  /** Rooms with a running delivery; a replayed one counts only when it has started, unless newer ones wait for it. */
  #busyLanes(): Set<string> {
    const underWay = [...this.#underWay.values()].map(({ delivery }) => delivery)
    const busy = [...underWay, ...this.#ahead.filter(({ replayed, resumed }) => !replayed || resumed)].filter(
      isFirstAttempt,
    )
    return new Set(busy.flatMap(({ lane }) => lane ?? []))
  }

  #beginAhead(): void {
    const begun = new Set(
      [...this.#underWay.values()].flatMap(({ delivery }) => (isFirstAttempt(delivery) ? (delivery.lane ?? []) : [])),
    )
    // Read once: while the list is passed through, the time may come, and a later delivery would overtake an earlier one.
    let mayReplay: boolean | undefined
    this.#ahead = this.#ahead.filter((delivery) => {
      const lane = isFirstAttempt(delivery) ? delivery.lane : null
      if (this.#room <= 0 || (lane !== null && begun.has(lane))) return true
      if (delivery.replayed) {
        mayReplay ??= this.#mayReplay()
        if (!mayReplay) return true
        mayReplay = false
      }
      if (lane !== null) begun.add(lane)
      this.#begin(delivery)
      return false
    })
  }

  #mayReplay(): boolean {
    const wait = this.#replayAt - performance.now()
    if (wait > 0 && wait < Infinity) this.#wakeIn(wait)
    return wait <= 0
  }

  /** Counted from the actual start, so that a delay doesn't bring the next one closer. */
  #pace(): void {
    this.#replayAt = performance.now() + REPLAY_PACE
    this.#wakeIn(REPLAY_PACE)
  }

  #wakeIn(milliseconds: number): void {
    if (this.#stopped) return
    this.#pacing ??= setTimeout(() => {
      this.#pacing = undefined
      this.wake()
    }, Math.ceil(milliseconds))
  }

  #begin(delivery: DueDelivery): void {
    if (delivery.replayed) this.#replayAt = Infinity
    const done = this.#deliver(delivery).finally(() => {
      this.#underWay.delete(delivery.id)
      this.#usedAt = performance.now()
      if (this.#maybeMoreAfter(delivery)) this.#look = true
      this.#fillUp()
    })
    this.#underWay.set(delivery.id, { delivery, done })
  }

  #maybeMoreAfter(delivery: DueDelivery): boolean {
    if (delivery.replayed || !isFirstAttempt(delivery)) return true
    return delivery.lane !== null && this.#behind.has(delivery.lane) && !this.#busyLanes().has(delivery.lane)
  }

  async #deliver(found: DueDelivery): Promise<void> {
    let delivery = found
    try {
      let sent = await this.#send(delivery)
      if (sent?.attempt.brokeOff) {
        delivery = await this.#sending.brokeOff(delivery, sent.attempt)
        sent = await this.#send(delivery)
      }
      if (!sent) return this.#readAgain(delivery)
      const { target, attempt } = sent
      if (attempt.error === null) this.#noteSuccess(delivery, target, attempt)
      else await this.#noteFailure(delivery, target, attempt)
    } catch (error) {
      await this.#unsettled(delivery, error)
    }
  }

  async #send(delivery: DueDelivery): Promise<{ target: DeliveryTarget; attempt: Attempt } | undefined> {
    const target = await this.#sending.readTarget(delivery)
    if (delivery.replayed) this.#pace()
    return target && { target, attempt: await this.#sending.attempt(delivery, target) }
  }

  #noteSuccess(delivery: DueDelivery, target: DeliveryTarget, attempt: Attempt): void {
    this.#failing = false
    const noted = this.#sending
      .succeeded(delivery, target, attempt)
      .catch((error: unknown) => this.#unsettled(delivery, error))
      .finally(() => {
        this.#unrecorded.delete(delivery.id)
        this.#fillUp()
      })
    this.#unrecorded.set(delivery.id, noted)
  }

  /** Nothing more starts until it is recorded, after earlier successes: the streak depends on this order. */
  async #noteFailure(delivery: DueDelivery, target: DeliveryTarget, attempt: Attempt): Promise<void> {
    this.#failing = true
    await Promise.all(this.#unrecorded.values())
    const verdict = await this.#sending.failed(delivery, target, attempt)
    // No verdict: the address has changed since.
    if (!verdict) this.#failing = false
  }

  /** Not recorded: the same delivery is due again, with the same id. */
  async #unsettled(delivery: DueDelivery, error: unknown): Promise<void> {
    this.#sending.log.error({ err: error, delivery: delivery.id }, 'recording a delivery failed')
    this.#failing = true
    if (!this.#stopped) await sleep(UNRECORDED_PAUSE)
    this.#readAgain(delivery)
  }

  /** A delivery that wasn't sent may be due again: what was read after it in its room must not overtake it. */
  #readAgain({ lane }: DueDelivery): void {
    this.#ahead = this.#ahead.filter((delivery) => delivery.lane !== lane)
    this.#look = true
  }
}
