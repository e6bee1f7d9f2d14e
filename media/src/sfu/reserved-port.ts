import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, isIPv6 } from 'node:net'
import { KnownAddresses } from '../ice/known-addresses.ts'
import { hostsFor, isWithoutIpv6, openChosen, openRandom } from '../transport/port-choice.ts'
import type { WorkerOptions } from '../worker/messages.ts'
import { MediaPortError, type Place } from './media-thread.ts'

/** The media port as long as nobody uses it: no other program can take it, and nothing that arrives there is answered. */
export interface ReservedPort extends Place {
  /** To be called right before the port is opened, and when it isn't needed. */
  release(): Promise<void>
}

/** Rejects with `MediaPortError` if the port that was set is taken. */
export async function reservePort({ port, addresses, publicHost }: WorkerOptions): Promise<ReservedPort> {
  const known = await KnownAddresses.find({ configured: addresses, publicHost, onChange: () => undefined })
  const hosts = hostsFor(known)
  try {
    const held = await openChosen(port, (wanted) =>
      wanted === 0 ? openRandom((any) => hold(hosts, any)) : hold(hosts, wanted),
    )
    return {
      port: held.port,
      get announced() {
        return known.announced
      },
      async release() {
        known.stop()
        await held.sockets.disposeAsync()
      },
    }
  } catch (error) {
    known.stop()
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    throw new MediaPortError(code, error instanceof Error ? error.message : String(error))
  }
}

async function hold(hosts: readonly string[], wanted: number) {
  await using sockets = new AsyncDisposableStack()
  let port = wanted
  for (const host of hosts) {
    for (const bind of [bindUdp, bindTcp]) {
      try {
        port = await bind(host, port, sockets)
      } catch (error) {
        if (!isIPv6(host) || !isWithoutIpv6(error)) throw error
      }
    }
  }
  return { port, sockets: sockets.move() }
}

async function bindUdp(host: string, port: number, sockets: AsyncDisposableStack): Promise<number> {
  const isV6 = isIPv6(host)
  const socket = createSocket({ type: isV6 ? 'udp6' : 'udp4', ipv6Only: isV6 })
  sockets.defer(async () => {
    socket.close()
    await once(socket, 'close')
  })
  const listening = once(socket, 'listening')
  socket.bind(port, host)
  await listening
  socket.on('error', () => undefined)
  return socket.address().port
}

async function bindTcp(host: string, port: number, sockets: AsyncDisposableStack): Promise<number> {
  const server = createServer((socket) => socket.destroy())
  server.listen({ host, port, ipv6Only: true })
  await once(server, 'listening')
  server.on('error', () => undefined)
  sockets.defer(async () => {
    server.close()
    await once(server, 'close')
  })
  const bound = server.address()
  return bound !== null && typeof bound === 'object' ? bound.port : port
}
