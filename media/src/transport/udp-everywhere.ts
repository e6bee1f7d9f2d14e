import type { Routing } from './route-packet.ts'
import { listenUdp, type Listener } from './udp-port.ts'

/** In milliseconds: how soon an address that the machine gets later is listened on. */
const LOOK_EVERY = 5000
/** The address went away before it could be used, or isn't ready yet. */
const IS_AWAY: ReadonlySet<string> = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL'])

/**
 * Receives media on a UDP port, with a socket for each of the machine's addresses. One socket for all of them would answer from
 * whichever address the system prefers, and clients drop answers from another address than the one that they have sent to.
 */
export async function listenUdpEverywhere(
  addresses: () => readonly string[],
  wanted: number,
  routing: Routing,
): Promise<Listener> {
  const listeners = new Map<string, Listener>()
  let port = wanted

  async function listen(address: string): Promise<void> {
    try {
      const listener = await listenUdp(address, port, routing)
      port = listener.port
      listeners.set(address, listener)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && IS_AWAY.has(String(error.code)))) throw error
    }
  }

  async function update(): Promise<void> {
    const current = new Set(addresses())
    for (const [address, listener] of listeners) {
      if (current.has(address)) continue
      listeners.delete(address)
      await listener.close()
    }
    for (const address of current) if (!listeners.has(address)) await listen(address)
  }

  async function close(): Promise<void> {
    await Promise.all([...listeners.values()].map((listener) => listener.close()))
    listeners.clear()
  }

  try {
    await update()
  } catch (error) {
    await close()
    throw error
  }
  let updating = Promise.resolve()
  const timer = setInterval(() => {
    // Another program may have the port at a new address: media arrives at the others.
    updating = updating.then(update).catch(() => undefined)
  }, LOOK_EVERY).unref()
  return {
    port,
    async close() {
      clearInterval(timer)
      await updating
      await close()
    },
  }
}
