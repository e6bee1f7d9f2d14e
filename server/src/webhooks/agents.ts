import { Agent } from 'node:https'
import type { LookupFunction } from 'node:net'
import type { Resolved } from './resolve.ts'

const MOST_AGENTS = 500
/** Connections to one host that are kept while none is needed: many applications may have one host. */
const MOST_IDLE = 64
const IDLE = 15_000

/**
 * Connections that are kept between deliveries. They belong to one host at one checked address: a name that resolves
 * to another address gets connections of its own.
 */
export class Agents {
  readonly #agents = new Map<string, Agent>()

  for(host: string, { address, family }: Resolved): Agent {
    const key = `${host} ${address}`
    const known = this.#agents.get(key)
    // The one used last goes to the end; the first is the one to drop.
    if (known) this.#agents.delete(key)
    const agent =
      known ?? new Agent({ keepAlive: true, maxFreeSockets: MOST_IDLE, timeout: IDLE, lookup: pinned(address, family) })
    this.#agents.set(key, agent)
    this.#drop()
    return agent
  }

  /** The next delivery to this host gets a new connection. What is under way goes on; what is idle closes by itself. */
  forget(host: string): void {
    for (const key of this.#agents.keys()) if (key.startsWith(`${host} `)) this.#agents.delete(key)
  }

  close(): void {
    for (const agent of this.#agents.values()) agent.destroy()
    this.#agents.clear()
  }

  /** Forgotten, not destroyed: a delivery may be under way on it, and what is idle closes by itself. */
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
