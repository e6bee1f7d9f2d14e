import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../log.ts'
import type { Attempt } from './attempt.ts'
import type { DueDelivery, Wanted } from './due-deliveries.ts'
import type { Verdict } from './record-attempt.ts'

const MOST_AT_ONCE = 8
const REPLAY_PACE = 100
/** An attempt that could not be written down will be made again; not at once, or the receiver would be flooded. */
const UNRECORDED_PAUSE = 1000

/** What a sender works with: all of it outside of it, so that it is nothing but the order of things. */
export interface Sending {
  readonly due: (wanted: Pick<Wanted, 'underWay' | 'most' | 'replayed'>) => Promise<DueDelivery[]>
  readonly attempt: (delivery: DueDelivery) => Promise<Attempt>
  readonly record: (delivery: DueDelivery, attempt: Attempt) => Promise<Verdict | undefined>
  readonly log: Log
}

/**
 * Sends for one application: first attempts in order within a room, eight at a time, and one at a time while the
 * address fails. A retry waits for its own time and never holds newer events up.
 */
export class Sender {
  readonly #sending: Sending
  readonly #underWay = new Map<string, { delivery: DueDelivery; done: Promise<void> }>()
  #failing: boolean
  #stopped = false
  #filling: Promise<void> | undefined
  #again = false
  #pacing: NodeJS.Timeout | undefined

  constructor(sending: Sending, failing: boolean) {
    this.#sending = sending
    this.#failing = failing
  }

  get isIdle(): boolean {
    return this.#underWay.size === 0 && this.#filling === undefined && this.#pacing === undefined
  }

  /** Something may be due: takes as much of it as there is room for. */
  wake(): void {
    this.#again = true
    this.#filling ??= this.#fill().finally(() => {
      this.#filling = undefined
      // Woken between the last look and here.
      if (this.#again && !this.#stopped) this.wake()
    })
  }

  /** Takes nothing more and waits for what is under way. */
  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#pacing)
    await this.#filling
    await Promise.all([...this.#underWay.values()].map(({ done }) => done))
  }

  async #fill(): Promise<void> {
    while (this.#again && !this.#stopped) {
      this.#again = false
      const most = (this.#failing ? 1 : MOST_AT_ONCE) - this.#underWay.size
      if (most <= 0) return
      try {
        const underWay = [...this.#underWay.values()].map(({ delivery }) => delivery)
        const due = await this.#sending.due({ underWay, most, replayed: this.#pacing === undefined })
        for (const delivery of due) this.#take(delivery)
      } catch (error) {
        this.#sending.log.error({ err: error }, 'due deliveries could not be read')
      }
    }
  }

  /** Of what is replayed, one at a time and the next only after a pause; whatever else is due is looked for anew. */
  #take(delivery: DueDelivery): void {
    if (!delivery.replayed) return this.#begin(delivery)
    this.#again = true
    if (this.#pacing !== undefined) return
    this.#pacing = setTimeout(() => {
      this.#pacing = undefined
      this.wake()
    }, REPLAY_PACE)
    this.#begin(delivery)
  }

  #begin(delivery: DueDelivery): void {
    const done = this.#deliver(delivery).finally(() => {
      this.#underWay.delete(delivery.id)
      this.wake()
    })
    this.#underWay.set(delivery.id, { delivery, done })
  }

  async #deliver(delivery: DueDelivery): Promise<void> {
    try {
      const attempt = await this.#sending.attempt(delivery)
      const verdict = await this.#sending.record(delivery, attempt)
      if (verdict) this.#failing = verdict.failing
    } catch (error) {
      // Not recorded: the same delivery is due again, under the same id.
      this.#sending.log.error({ err: error, delivery: delivery.id }, 'a delivery could not be recorded')
      this.#failing = true
      if (!this.#stopped) await sleep(UNRECORDED_PAUSE)
    }
  }
}
