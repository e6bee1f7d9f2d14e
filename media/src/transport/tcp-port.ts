import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { networkOfAddress } from '../packet/ip-address.ts'
import { createFrameReader } from './frames.ts'
import type { Path } from '../ice/path-choice.ts'
import { routePacket, type Route, type Routing } from './route-packet.ts'
import { Strangers } from './strangers.ts'
import { createTcpQueue, WRITE_AHEAD_BYTES } from './tcp-queue.ts'
import type { Listener } from './udp-port.ts'

/** How long a connection may take for its first valid check, which clients send immediately. */
const STRANGER_TIME_MS = 5000
const LAST_WORDS_MS = 1000

/** Receives media over TCP (RFC 6544), for networks that let no UDP through. */
export async function listenTcp(host: string, port: number, routing: Routing): Promise<Listener> {
  const sockets = new Set<Socket>()
  const strangers = new Strangers()

  function accept(socket: Socket) {
    const { remoteAddress: address, remotePort: port } = socket
    if (address === undefined || port === undefined) {
      socket.destroy()
      return
    }
    const path = createPath(socket, routing)
    const readFrames = createFrameReader()
    const routes: Route[] = []
    const source = { address, port }
    const network = networkOfAddress(address)

    function receive(packet: Buffer) {
      if (socket.destroyed) return
      routePacket(routing, { packet, source, routes, createPath: () => path })
      if (routes.length === 0) socket.destroy()
      else strangers.delete(socket, network)
    }

    sockets.add(socket)
    strangers.add(socket, network)
    const patience = setTimeout(() => routes[0] ?? socket.destroy(), STRANGER_TIME_MS)
    socket.setNoDelay(true)
    socket.on('data', (bytes) => {
      const frames = readFrames(bytes)
      if (frames === undefined) socket.destroy()
      else for (const packet of frames) receive(packet)
    })
    // A connection that breaks is followed by its end.
    socket.on('error', () => {})
    socket.on('close', () => {
      clearTimeout(patience)
      sockets.delete(socket)
      strangers.delete(socket, network)
      for (const { peer } of routes) peer.lost(path)
    })
  }

  const server = createServer({ highWaterMark: WRITE_AHEAD_BYTES }, accept)
  server.listen({ host, port, ipv6Only: true })
  await once(server, 'listening')
  server.on('error', routing.onError)
  const bound = server.address()
  return {
    port: bound !== null && typeof bound === 'object' ? bound.port : port,
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

function createPath(socket: Socket, { counters }: Routing): Path {
  const queue = createTcpQueue(socket)
  return {
    send(packet, canWait = false) {
      if (!queue.add(packet, canWait)) {
        counters.dropped += 1
        return
      }
      counters.packetsOut += 1
      counters.bytesOut += packet.length
    },
    close() {
      // The peer shall still learn that the connection ends, if it reads at all.
      socket.end()
      setTimeout(() => socket.destroy(), LAST_WORDS_MS).unref()
    },
  }
}
