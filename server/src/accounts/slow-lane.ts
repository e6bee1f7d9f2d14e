/** In milliseconds: well within the deadline of a request. */
const LONGEST_WAIT = 6000

/** Lets attempts of a subject through at a pace. Who would wait for too long is refused, and can soon try again. */
export class SlowLane {
  /** When the next attempt of a subject may begin. */
  readonly #next = new Map<string, number>()
  readonly #clock: () => number

  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock
  }

  /** How long the attempt has to wait, in milliseconds, and whether it is let through after that. */
  enter(subject: string, pause: number): { readonly wait: number; readonly isAdmitted: boolean } {
    const now = this.#clock()
    for (const [other, time] of this.#next) if (time <= now) this.#next.delete(other)
    const begins = this.#next.get(subject) ?? now
    const wait = begins - now
    if (wait > LONGEST_WAIT) return { wait: wait - LONGEST_WAIT, isAdmitted: false }
    this.#next.set(subject, begins + pause)
    return { wait, isAdmitted: true }
  }
}
