import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv6 } from 'node:net'
import type { Path } from '../ice/path-choice.ts'
import { routePacket, type Route, type Routing } from './route-packet.ts'
import type { Address } from '../ice/stun.ts'

/** Room for the packets of 0.2 seconds at 50 Mbit/s, as far as the system grants it. */
const BUFFER_SIZE = 1_250_000

export interface Listener {
  readonly port: number
  close(): Promise<void>
}

/** Receives media on a UDP port. */
export async function listenUdp(host: string, port: number, routing: Routing): Promise<Listener> {
  const family = isIPv6(host) ? 6 : 4
  const socket = createSocket({
    type: `udp${family}`,
    ipv6Only: family === 6,
    recvBufferSize: BUFFER_SIZE,
    sendBufferSize: BUFFER_SIZE,
    // We send to addresses only: the usual look-up would delay and slow down every packet.
    lookup: (address, _options, answer) => answer(null, address, family),
  })
  const sources = new Map<string, Route[]>()

  function createPath(routes: Route[], key: string, { address, port }: Address): Path {
    const path: Path = {
      send(packet) {
        routing.counters.packetsOut += 1
        routing.counters.bytesOut += packet.length
        socket.send(packet, port, address)
      },
      close() {
        const at = routes.findIndex((route) => route.path === path)
        if (at !== -1) routes.splice(at, 1)
        if (routes.length === 0 && sources.get(key) === routes) sources.delete(key)
      },
    }
    return path
  }

  socket.on('message', (packet, source) => {
    const key = `${source.address} ${source.port}`
    const routes = sources.get(key) ?? []
    routePacket(routing, { packet, source, routes, createPath: () => createPath(routes, key, source) })
    if (routes.length > 0) sources.set(key, routes)
  })
  // With our look-up the socket may listen before `bind` returns.
  const listening = once(socket, 'listening')
  socket.bind(port, host)
  try {
    await listening
  } catch (error) {
    socket.close()
    throw error
  }
  // A packet that could not be sent is lost like any other.
  socket.on('error', () => {
    routing.counters.dropped += 1
  })
  return {
    port: socket.address().port,
    async close() {
      const closed = once(socket, 'close')
      socket.close()
      await closed
    },
  }
}
