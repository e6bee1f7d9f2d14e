/**
 * Runs something at most once per interval, in milliseconds, and never twice at the same time: immediately after a quiet
 * interval, and once more for all triggers that arrived meanwhile. Not `p-throttle`: it delays calls, and never merges them.
 */
export class Throttle {
  readonly #interval: number
  readonly #work: () => Promise<void>
  readonly #onError: (error: unknown) => void
  #timer: NodeJS.Timeout | undefined
  #nextAt = 0
  #running: Promise<void> = Promise.resolve()
  #stopped = false

  constructor(interval: number, work: () => Promise<void>, onError: (error: unknown) => void) {
    this.#interval = interval
    this.#work = work
    this.#onError = onError
  }

  trigger(): void {
    if (this.#stopped) return
    this.#timer ??= setTimeout(() => this.#start(), Math.max(0, this.#nextAt - performance.now()))
  }

  /** Starts nothing more and waits for a run in progress. */
  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#timer)
    await this.#running
  }

  #start(): void {
    this.#nextAt = performance.now() + this.#interval
    this.#running = this.#running
      .then(() => {
        // A trigger from here on may be too late for this run.
        this.#timer = undefined
        return this.#work()
      })
      .catch(this.#onError)
  }
}
