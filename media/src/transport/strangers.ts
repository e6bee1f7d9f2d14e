/** Connections without a valid check, of one network and altogether. */
const MAX_OF_NETWORK = 32
const MAX = 512

interface Connection {
  destroy(): void
}

/**
 * The connections that have not sent a valid check yet. When there are too many, the network that has most of them loses its
 * oldest: nobody can displace the connections of others by opening more.
 */
export class Strangers {
  readonly #networks = new Map<string, Set<Connection>>()
  #size = 0

  add(connection: Connection, network: string): void {
    const own = this.#networks.get(network) ?? new Set()
    this.#networks.set(network, own.add(connection))
    this.#size += 1
    if (own.size > MAX_OF_NETWORK) this.#evict(network, own)
    else if (this.#size > MAX) this.#evict(...this.#largest(network, own))
  }

  /** Does nothing for one that isn't there. */
  delete(connection: Connection, network: string): void {
    const own = this.#networks.get(network)
    if (!own?.delete(connection)) return
    this.#size -= 1
    if (own.size === 0) this.#networks.delete(network)
  }

  #evict(network: string, connections: ReadonlySet<Connection>): void {
    const [oldest] = connections
    if (!oldest) return
    this.delete(oldest, network)
    oldest.destroy()
  }

  #largest(network: string, connections: ReadonlySet<Connection>): [string, ReadonlySet<Connection>] {
    return [...this.#networks].reduce<[string, ReadonlySet<Connection>]>(
      (largest, other) => (other[1].size > largest[1].size ? other : largest),
      [network, connections],
    )
  }
}
