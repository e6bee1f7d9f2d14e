/** Longer than the portal's window by more than clocks differ in that time. */
const WINDOW = 60_100

/**
 * One quota of the application, as this process knows it: what it has sent itself, and what the portal's headers say.
 *
 * The portal accepted a request at some moment before its response arrived, so a request that counts from then on leaves
 * this window after it left the portal's. While nobody else uses the quota, no request is refused.
 */
export class QuotaWindow {
  /** Unknown until the first response. */
  #limit: number | undefined
  /** What was left after the latest response; others may have used the rest. */
  #remaining = Infinity
  /** When the requests of the last minute leave the window, in order. */
  readonly #leaving: number[] = []
  #underWay = 0
  #pausedUntil = 0

  get limit(): number | undefined {
    return this.#limit
  }

  /** How long to wait before another request: 0 if it can be sent now, Infinity until a response arrives. */
  delay(now: number): number {
    if (now < this.#pausedUntil) return this.#pausedUntil - now
    this.#forget(now)
    // Requests that are sent at the same time must fit what is left. One can always be sent: what is left grows with time.
    if (this.#underWay >= Math.max(1, Math.min(this.#remaining, this.#limit ?? 1))) return Infinity
    if (this.#limit === undefined || this.#underWay + this.#leaving.length < this.#limit) return 0
    const next = this.#leaving[this.#underWay + this.#leaving.length - this.#limit]
    return next === undefined ? Infinity : next - now
  }

  begin(): void {
    this.#underWay += 1
  }

  /** `late` milliseconds may pass until the portal accepts a request whose response was lost. */
  end(now: number, { counts = true, late = 0 } = {}): void {
    this.#underWay -= 1
    if (!counts) return
    const leaves = now + WINDOW + late
    const index = this.#leaving.findLastIndex((time) => time <= leaves)
    this.#leaving.splice(index + 1, 0, leaves)
  }

  learn(limit: number, remaining: number): void {
    this.#limit = limit
    this.#remaining = remaining
  }

  pause(until: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, until)
  }

  #forget(now: number): void {
    const index = this.#leaving.findIndex((time) => time > now)
    this.#leaving.splice(0, index === -1 ? this.#leaving.length : index)
  }
}
