import type { QueryClient } from '@tanstack/svelte-query'

/** The shortest interval between two requests. */
const PAUSE_MS = 400

interface Shown {
  readonly queryKey: readonly string[]
  readonly exact?: boolean
}

/** Refetches what changed: each query once, however many events arrive meanwhile. */
export class ThrottledRefetch {
  readonly #client: QueryClient
  readonly #due = new Map<string, Shown>()
  #busy = false

  constructor(client: QueryClient) {
    this.#client = client
  }

  refetch(shown: readonly Shown[]): void {
    for (const one of shown) this.#due.set(one.queryKey.join(), one)
    if (!this.#busy) void this.#read()
  }

  stop(): void {
    this.#due.clear()
  }

  async #read(): Promise<void> {
    this.#busy = true
    while (this.#due.size > 0) {
      const due = [...this.#due.values()]
      this.#due.clear()
      await Promise.all([pause(), ...due.map((shown) => this.#readAnew(shown))])
    }
    this.#busy = false
  }

  /** A running request may be older than the event: it finishes first and is then repeated. */
  async #readAnew(shown: Shown): Promise<void> {
    const underWay = this.#client.getQueryCache().findAll({ ...shown, fetchStatus: 'fetching' })
    await Promise.allSettled(underWay.map(({ promise }) => Promise.resolve(promise)))
    await this.#client.invalidateQueries(shown)
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
}
