import type { Log } from '../log.ts'
import type { Attempt } from './attempt.ts'
import type { DueDelivery } from './due-deliveries.ts'
import type { Outcome } from './record-attempt.ts'

const MOST_AT_ONCE = 8

/** What a sender works with: all of it outside of it, so that it is nothing but the order of things. */
export interface Sending {
  readonly due: (underWay: readonly DueDelivery[], most: number) => Promise<DueDelivery[]>
  readonly attempt: (delivery: DueDelivery) => Promise<Attempt>
  readonly record: (delivery: DueDelivery, attempt: Attempt) => Promise<Outcome>
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
  #active = true
  #filling: Promise<void> | undefined
  #again = false

  constructor(sending: Sending, failing: boolean) {
    this.#sending = sending
    this.#failing = failing
  }

  get isIdle(): boolean {
    return this.#underWay.size === 0 && this.#filling === undefined
  }

  /** Something may be due: takes as much of it as there is room for. */
  wake(): void {
    this.#again = true
    this.#filling ??= this.#fill().finally(() => {
      this.#filling = undefined
    })
  }

  /** Takes nothing more and waits for what is under way. */
  async stop(): Promise<void> {
    this.#active = false
    await this.#filling
    await Promise.all([...this.#underWay.values()].map(({ done }) => done))
  }

  async #fill(): Promise<void> {
    while (this.#again && this.#active) {
      this.#again = false
      const room = (this.#failing ? 1 : MOST_AT_ONCE) - this.#underWay.size
      if (room <= 0) return
      try {
        const underWay = [...this.#underWay.values()].map(({ delivery }) => delivery)
        for (const delivery of await this.#sending.due(underWay, room)) this.#begin(delivery)
      } catch (error) {
        this.#sending.log.error({ err: error }, 'due deliveries could not be read')
      }
    }
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
      const { active, failing } = await this.#sending.record(delivery, attempt)
      this.#failing = failing
      if (!active) this.#active = false
    } catch (error) {
      // Not recorded: the same delivery is due again, under the same id.
      this.#sending.log.error({ err: error, delivery: delivery.id }, 'a delivery could not be recorded')
      this.#failing = true
    }
  }
}
