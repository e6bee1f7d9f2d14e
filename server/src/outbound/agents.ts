import { Agent } from 'node:https'
import type { LookupFunction } from 'node:net'
import type { Resolved } from './resolve.ts'

const MOST_AGENTS = 500
/** Idle connections per host: many applications may share one host. */
const MOST_IDLE = 64
const IDLE = 15_000

/**
 * Keep-alive connections, each for one host at one checked address: a name that resolves to another address gets new
 * connections.
 */
export class Agents {
  readonly #agents = new Map<string, Agent>()

  for(host: string, { address, family }: Resolved): Agent {
    const key = `${host} ${address}`
    const known = this.#agents.get(key)
    // Least recently used first.
    if (known) this.#agents.delete(key)
    const agent =
      known ?? new Agent({ keepAlive: true, maxFreeSockets: MOST_IDLE, timeout: IDLE, lookup: pinned(address, family) })
    this.#agents.set(key, agent)
    this.#drop()
    return agent
  }

  /** The next request to this host gets a new connection. Running requests continue; idle connections time out. */
  forget(host: string): void {
    for (const key of this.#agents.keys()) if (key.startsWith(`${host} `)) this.#agents.delete(key)
  }

  close(): void {
    for (const agent of this.#agents.values()) agent.destroy()
    this.#agents.clear()
  }

  /** Dropped, not destroyed: a request may be running on it, and idle connections time out. */
  #drop(): void {
    const [oldest] = this.#agents.keys()
    if (oldest !== undefined && this.#agents.size > MOST_AGENTS) this.#agents.delete(oldest)
  }
}

function pinned(address: string, family: 4 | 6): LookupFunction {
  return (_host, options, done) => {
    if (options.all) done(null, [{ address, family }])
    else done(null, address, family)
  }
}
