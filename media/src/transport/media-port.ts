import { isIPv6 } from 'node:net'
import type { Certificate } from '../dtls/certificate.ts'
import { isLinkLocal, listInterfaces } from '../ice/addresses.ts'
import { createPeerConnection, type PeerConnection, type Transport } from './transport.ts'
import { isWithoutIpv6, openRandom } from './port-choice.ts'
import type { PortCounters, Routing } from './route-packet.ts'
import { listenTcp } from './tcp-port.ts'
import { listenUdpEverywhere } from './udp-everywhere.ts'
import { listenUdp, type Listener } from './udp-port.ts'

/** One UDP and TCP port that carries all media. */
export interface MediaPort {
  readonly port: number
  /** Totals since the port was opened. */
  readonly counters: Readonly<PortCounters>
  /** Closes by itself when no valid check arrives within 30 seconds. */
  createTransport(): Transport
  close(): Promise<void>
}

export interface MediaPortOptions {
  /** 0 takes any free port. */
  readonly port: number
  /** The addresses to listen on; `0.0.0.0` and `::` are all of the machine. IPv6 ones are skipped on machines without IPv6. */
  readonly hosts: readonly string[]
  /** Those of this machine, for `0.0.0.0` and `::`. Default: the addresses of its network interfaces. */
  readonly ownAddresses?: () => readonly string[]
  readonly certificate: Certificate
  /** Our own code has failed, most likely over a packet, which is dropped. */
  readonly onError?: (error: unknown) => void
}

const TIME_LIMIT_CHECK_MS = 1000
const WILDCARDS: ReadonlySet<string> = new Set(['0.0.0.0', '::'])

/** Opens the media port. Fails with the error of the operating system if the port is taken. */
export function openMediaPort(options: MediaPortOptions): Promise<MediaPort> {
  return options.port === 0 ? openRandom(() => open(options)) : open(options)
}

async function open({
  port,
  hosts,
  ownAddresses,
  certificate,
  onError = () => {},
}: MediaPortOptions): Promise<MediaPort> {
  const counters: PortCounters = { packetsIn: 0, bytesIn: 0, packetsOut: 0, bytesOut: 0, dropped: 0 }
  const peers = new Set<PeerConnection>()
  const byUfrag = new Map<string, PeerConnection>()
  const routing: Routing = { counters, onError, peerOf: (ufrag) => byUfrag.get(ufrag) }
  const bound = await listen(hosts, port, routing, ownAddresses)

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

async function listen(hosts: readonly string[], wanted: number, routing: Routing, ownAddresses = interfaceAddresses) {
  await using listeners = new AsyncDisposableStack()
  let port = wanted
  for (const host of hosts) {
    const listenUdpAt = (host: string, port: number, routing: Routing): Promise<Listener> => {
      if (!WILDCARDS.has(host)) return listenUdp(host, port, routing)
      return listenUdpEverywhere(() => ownAddresses().filter((own) => isIPv6(own) === isIPv6(host)), port, routing)
    }
    for (const listenAt of [listenUdpAt, listenTcp]) {
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

function interfaceAddresses(): readonly string[] {
  return listInterfaces().flatMap(({ address }) => (isLinkLocal(address) ? [] : [address]))
}
