import type { PeerConnection } from '../transport.ts'
import type { Path } from './path-choice.ts'
import { BINDING_REQUEST, isAuthentic, readBindingRequest, writeBindingResponse, type Address } from './stun.ts'

/** In bytes; more than any packet that a browser sends. Reading larger ones would let one sender occupy everyone's thread. */
export const MAX_PACKET_SIZE = 4096

/** Where a source of packets leads, once it has sent a valid check. */
export interface Route {
  readonly path: Path
  readonly peer: PeerConnection
}

export interface PortCounters {
  packetsIn: number
  bytesIn: number
  packetsOut: number
  bytesOut: number
  /** Packets from senders without a valid check, those for which there was no room, and those that made us fail. */
  dropped: number
}

/** What the sockets of a media port share. */
export interface Routing {
  readonly counters: PortCounters
  peerOf(ufrag: string): PeerConnection | undefined
  /** Our own code has failed over a packet. */
  onError(error: unknown): void
}

export interface Arrival {
  readonly packet: Buffer
  readonly source: Address
  readonly route: Route | undefined
  createPath(): Path
}

/**
 * Passes a packet on and returns the route of its source from now on. A source without a route gets no answer and no memory
 * unless it sends a valid check. Never throws.
 */
export function routePacket(routing: Routing, arrival: Arrival): Route | undefined {
  const { packet, route } = arrival
  routing.counters.packetsIn += 1
  routing.counters.bytesIn += packet.length
  if (packet.length > MAX_PACKET_SIZE) {
    routing.counters.dropped += 1
    return route
  }
  try {
    if (isCheck(packet)) return answerCheck(routing, arrival)
    if (isStun(packet)) {
      if (!route?.peer.answered(route.path, packet)) routing.counters.dropped += 1
    } else if (route === undefined) routing.counters.dropped += 1
    else route.peer.receive(packet)
  } catch (error) {
    routing.counters.dropped += 1
    routing.onError(error)
  }
  return route
}

function answerCheck({ counters, peerOf }: Routing, { packet, source, route, createPath }: Arrival): Route | undefined {
  const check = readBindingRequest(packet)
  const peer = check && peerOf(check.ufrag)
  const pwd = check && peer?.passwordOf(check.ufrag)
  if (check === undefined || peer === undefined || pwd === undefined || !isAuthentic(check, pwd)) {
    counters.dropped += 1
    return route
  }
  if (route !== undefined && route.peer !== peer) route.peer.lost(route.path)
  const path = route?.peer === peer ? route.path : createPath()
  path.send(writeBindingResponse(check.transactionId, source, pwd))
  peer.checked(path, check)
  return route?.peer === peer ? route : { path, peer }
}

function isCheck(packet: Buffer): boolean {
  return packet.length >= 2 && packet.readUInt16BE(0) === BINDING_REQUEST
}

/** The first byte of a packet says which protocol it belongs to (RFC 7983). */
function isStun(packet: Buffer): boolean {
  return packet.length > 0 && packet[0]! <= 3
}
