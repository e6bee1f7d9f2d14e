import { isIPv6 } from 'node:net'
import type { Certificate } from '../dtls/certificate.ts'
import { createPeerConnection, type PeerConnection, type Transport } from './transport.ts'
import type { PortCounters, Routing } from './route-packet.ts'
import { listenTcp } from './tcp-port.ts'
import { listenUdp } from './udp-port.ts'

/** One UDP and TCP port that carries all media. */
export interface MediaPort {
  readonly port: number
  /** Totals since the port was opened. */
  readonly counters: Readonly<PortCounters>
  /**
   * Closes by itself when no valid check arrives within 30 seconds. Our DTLS role is server: answers say `a=setup:passive`, and
   * the peer that answers an offer of ours must be active.
   */
  createTransport(): Transport
  close(): Promise<void>
}

export interface MediaPortOptions {
  /** 0 takes any free port. */
  readonly port: number
  /** The addresses to listen on. IPv6 ones are skipped on machines without IPv6. */
  readonly hosts: readonly string[]
  readonly certificate: Certificate
  /** Our own code has failed, most likely over a packet, which is dropped. */
  readonly onError?: (error: unknown) => void
}

/** How often a random port is tried: its number must be free for UDP and TCP at every address. */
const RANDOM_PORT_ATTEMPTS = 10
const TIME_LIMIT_CHECK_MS = 1000

/** Opens the media port. Fails with the error of the operating system if the port is taken. */
export async function openMediaPort(options: MediaPortOptions): Promise<MediaPort> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await open(options)
    } catch (error) {
      if (options.port !== 0 || attempt === RANDOM_PORT_ATTEMPTS) throw error
    }
  }
}

async function open({ port, hosts, certificate, onError = () => {} }: MediaPortOptions): Promise<MediaPort> {
  const counters: PortCounters = { packetsIn: 0, bytesIn: 0, packetsOut: 0, bytesOut: 0, dropped: 0 }
  const peers = new Set<PeerConnection>()
  const byUfrag = new Map<string, PeerConnection>()
  const bound = await listen(hosts, port, { counters, onError, peerOf: (ufrag) => byUfrag.get(ufrag) })

  const timer = setInterval(() => {
    for (const peer of peers) {
      try {
        peer.enforceTimeLimits()
      } catch (error) {
        onError(error)
      }
    }
  }, TIME_LIMIT_CHECK_MS)
  timer.unref()

  return {
    port: bound.port,
    counters,
    createTransport() {
      const peer = createPeerConnection({
        certificate,
        onUfrag: (ufrag, owner) => byUfrag.set(ufrag, owner),
        onUfragGone: (ufrag) => byUfrag.delete(ufrag),
        onClosed: (closed) => peers.delete(closed),
      })
      peers.add(peer)
      return peer.transport
    },
    async close() {
      clearInterval(timer)
      for (const peer of peers) peer.transport.close()
      await bound.listeners.disposeAsync()
    },
  }
}

async function listen(hosts: readonly string[], wanted: number, routing: Routing) {
  await using listeners = new AsyncDisposableStack()
  let port = wanted
  for (const host of hosts) {
    for (const listenAt of [listenUdp, listenTcp]) {
      try {
        const listener = await listenAt(host, port, routing)
        listeners.defer(() => listener.close())
        port = listener.port
      } catch (error) {
        if (!isIPv6(host) || !isWithoutIpv6(error)) throw error
      }
    }
  }
  return { port, listeners: listeners.move() }
}

function isWithoutIpv6(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ['EAFNOSUPPORT', 'EADDRNOTAVAIL'].includes(String(error.code))
}
