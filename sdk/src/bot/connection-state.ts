import { sleep } from '../client/sleep.ts'

/** Whether the event stream is connected. A bot with a webhook has none, and counts as connected. */
export class ConnectionState {
  #isConnected = true
  #opened = Promise.resolve()
  #open: () => void = () => {}

  get isConnected(): boolean {
    return this.#isConnected
  }

  lost(): void {
    if (!this.#isConnected) return
    this.#isConnected = false
    this.#opened = new Promise((resolve) => (this.#open = resolve))
  }

  established(): void {
    this.#isConnected = true
    this.#open()
  }

  /** Resolves when the stream is connected, at the latest after a time. Rejects when the signal is aborted. */
  async wait(milliseconds: number, signal: AbortSignal): Promise<void> {
    const waited = new AbortController()
    try {
      await Promise.race([this.#opened, sleep(milliseconds, AbortSignal.any([signal, waited.signal]))])
    } finally {
      waited.abort()
    }
  }
}
