/** The shortest time between two requests for the same, in a channel where a lot happens. */
export const REFETCH_PAUSE_MS = 500

/** Runs work at once, and then not again before a while: however often it is requested meanwhile, it runs once more. */
export class Throttle {
  readonly #pauseMs: number
  readonly #paused = new Map<string, { again?: () => void }>()
  #stopped = false

  constructor(pauseMs: number) {
    this.#pauseMs = pauseMs
  }

  /** Different keys don't wait for each other. */
  run(key: string, work: () => void): void {
    const pause = this.#paused.get(key)
    if (pause) {
      pause.again = work
      return
    }
    const begun: { again?: () => void } = {}
    this.#paused.set(key, begun)
    setTimeout(() => {
      this.#paused.delete(key)
      if (begun.again && !this.#stopped) this.run(key, begun.again)
    }, this.#pauseMs)
    work()
  }

  stop(): void {
    this.#stopped = true
  }
}
