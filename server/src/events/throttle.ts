/**
 * Does something at most once in so many milliseconds, and never twice at a time: at once after a quiet time, and once
 * more for all that was asked for meanwhile.
 */
export class Throttle {
  readonly #pause: number
  readonly #work: () => Promise<void>
  readonly #failed: (error: unknown) => void
  #waiting: NodeJS.Timeout | undefined
  #nextAt = 0
  #done: Promise<void> = Promise.resolve()
  #stopped = false

  constructor(pause: number, work: () => Promise<void>, failed: (error: unknown) => void) {
    this.#pause = pause
    this.#work = work
    this.#failed = failed
  }

  trigger(): void {
    if (this.#stopped) return
    this.#waiting ??= setTimeout(() => this.#begin(), Math.max(0, this.#nextAt - performance.now()))
  }

  /** Begins nothing more and waits for what is under way. */
  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#waiting)
    await this.#done
  }

  #begin(): void {
    this.#nextAt = performance.now() + this.#pause
    this.#done = this.#done
      .then(() => {
        // Whoever asks from here on may have come too late for this time.
        this.#waiting = undefined
        return this.#work()
      })
      .catch(this.#failed)
  }
}
