/** Aborts its signal when one wait takes too long: the time between `start` and `stop`. */
export class StallTimer {
  readonly #controller = new AbortController()
  readonly #milliseconds: number
  #timer: NodeJS.Timeout | undefined

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  start(): void {
    this.stop()
    this.#timer = setTimeout(
      () => this.#controller.abort(new Error(`no answer within ${this.#milliseconds} ms`)),
      this.#milliseconds,
    )
  }

  stop(): void {
    clearTimeout(this.#timer)
  }
}
