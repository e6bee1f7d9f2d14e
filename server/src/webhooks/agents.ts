import { Agent } from 'node:https'
import type { LookupFunction } from 'node:net'
import type { Resolved } from './resolve.ts'

const MOST_AGENTS = 500
const IDLE = 15_000

const agents = new Map<string, Agent>()

/**
 * Connections that are kept between deliveries. They belong to one host at one checked address: a name that resolves
 * to another address gets connections of its own.
 */
export function agentFor(host: string, { address, family }: Resolved): Agent {
  const key = `${host} ${address}`
  const known = agents.get(key)
  // The one used last goes to the end; the first is the one to drop.
  if (known) agents.delete(key)
  const agent =
    known ?? new Agent({ keepAlive: true, maxFreeSockets: 2, timeout: IDLE, lookup: pinned(address, family) })
  agents.set(key, agent)
  if (agents.size > MOST_AGENTS) drop()
  return agent
}

export function closeAgents(): void {
  for (const agent of agents.values()) agent.destroy()
  agents.clear()
}

function drop(): void {
  const [oldest] = agents
  if (!oldest) return
  oldest[1].destroy()
  agents.delete(oldest[0])
}

function pinned(address: string, family: 4 | 6): LookupFunction {
  return (_host, options, done) => {
    if (options.all) done(null, [{ address, family }])
    else done(null, address, family)
  }
}
