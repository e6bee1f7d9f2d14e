/** More than the portal sends again after an outage of the receiver. */
const MOST = 10_000

/** Remembers the latest deliveries, so that one that is sent again isn't handled twice. */
export class SeenDeliveries {
  readonly #ids = new Set<string>()

  /** Whether the delivery is new. From then on it isn't. */
  add(id: string): boolean {
    if (this.#ids.has(id)) return false
    this.#ids.add(id)
    const [oldest] = this.#ids
    if (this.#ids.size > MOST && oldest !== undefined) this.#ids.delete(oldest)
    return true
  }
}
