/**
 * Lets work with a common key run one after another. Others wait here, in memory: waiting for a lock of the database would
 * take one of its connections.
 */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>()

  async take<T>(keys: readonly string[], work: () => Promise<T>): Promise<T> {
    const before = keys.flatMap((key) => this.#last.get(key) ?? [])
    const result = Promise.all(before).then(work)
    const ended = result.catch(() => undefined)
    for (const key of keys) this.#last.set(key, ended)
    try {
      return await result
    } finally {
      for (const key of keys) if (this.#last.get(key) === ended) this.#last.delete(key)
    }
  }
}
