import { setTimeout as sleep } from 'node:timers/promises'

/** In milliseconds: the window of the quotas, and some more for the way of the request. */
const WINDOW = 61_000

/** What a client knows about a quota from the headers of the answers. */
export class QuotaView {
  #remaining = Infinity
  #at = 0

  /** Resolves when a request should be accepted. */
  async turn(): Promise<void> {
    if (this.#remaining <= 0) await sleep(Math.max(0, this.#at + WINDOW - performance.now()))
  }

  observe(headers: Readonly<Record<string, string>>): void {
    this.#remaining = Number(headers['x-ratelimit-remaining'] ?? Infinity)
    this.#at = performance.now()
  }

  /** The answer is missing: it may have counted. */
  assumeUsed(): void {
    this.#remaining -= 1
    this.#at = performance.now()
  }
}
