/** A keyframe is many times larger than other frames: the publisher is asked for one at most this often. */
const INTERVAL = 500

/** Turns the requests of many viewers into few. */
export class KeyframeRequests {
  readonly #send: () => boolean
  #isWanted = false
  #askedAt = -Infinity

  /** `send` returns false as long as the publisher can't be asked. */
  constructor(send: () => boolean) {
    this.#send = send
  }

  request(now: number): void {
    this.#isWanted = true
    this.flush(now)
  }

  /** Sends a request that had to wait. */
  flush(now: number): void {
    if (!this.#isWanted || now - this.#askedAt < INTERVAL || !this.#send()) return
    this.#isWanted = false
    this.#askedAt = now
  }

  /** A keyframe has arrived by itself. */
  satisfied(): void {
    this.#isWanted = false
  }
}
