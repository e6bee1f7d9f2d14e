import type { PeerConnection } from './transport.ts'
import type { Path } from '../ice/path-choice.ts'
import { BINDING_REQUEST, isAuthentic, readBindingRequest, writeBindingResponse, type Address } from '../ice/stun.ts'

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
  /**
   * All peers that valid checks from this source belong to. Anyone can send a check of their own peer in the name of another
   * address, so that the source belongs to the first, and another takes its place only by answering a check of ours from there.
   */
  readonly routes: Route[]
  createPath(): Path
}

/** Checks that claim a source which already belongs to another peer; the oldest makes room. */
const MAX_ROUTES = 8

/**
 * Passes a packet on, and changes the routes of its source. A source without a route gets no answer and no memory unless it
 * sends a valid check. Never throws.
 */
export function routePacket(routing: Routing, arrival: Arrival): void {
  const { packet, routes } = arrival
  const { counters } = routing
  counters.packetsIn += 1
  counters.bytesIn += packet.length
  if (packet.length > MAX_PACKET_SIZE) {
    counters.dropped += 1
    return
  }
  try {
    if (isCheck(packet)) answerCheck(routing, arrival)
    else if (isStun(packet)) takeAnswer(routing, arrival)
    else if (routes[0] === undefined) counters.dropped += 1
    else routes[0].peer.receive(packet)
  } catch (error) {
    counters.dropped += 1
    routing.onError(error)
  }
}

function answerCheck({ counters, peerOf }: Routing, { packet, source, routes, createPath }: Arrival): void {
  const check = readBindingRequest(packet)
  const peer = check && peerOf(check.ufrag)
  const pwd = check && peer?.passwordOf(check.ufrag)
  if (check === undefined || peer === undefined || pwd === undefined || !isAuthentic(check, pwd)) {
    counters.dropped += 1
    return
  }
  const known = routes.find((route) => route.peer === peer)
  const route = known ?? { path: createPath(), peer }
  if (known === undefined) {
    routes.push(route)
    if (routes.length > MAX_ROUTES) for (const { path, peer: claimant } of routes.splice(1, 1)) claimant.lost(path)
  }
  route.path.send(writeBindingResponse(check.transactionId, source, pwd))
  peer.checked(route.path, check)
}

/** Who answers from a source can receive there: it is theirs from now on. */
function takeAnswer({ counters }: Routing, { packet, routes }: Arrival): void {
  const answering = routes.find(({ peer, path }) => peer.answered(path, packet))
  if (answering === undefined) {
    counters.dropped += 1
    return
  }
  if (answering === routes[0]) return
  const others = routes.splice(0).filter((route) => route !== answering)
  routes.push(answering)
  for (const { path, peer } of others) peer.lost(path)
}

function isCheck(packet: Buffer): boolean {
  return packet.length >= 2 && packet.readUInt16BE(0) === BINDING_REQUEST
}

/** The first byte of a packet says which protocol it belongs to (RFC 7983). */
function isStun(packet: Buffer): boolean {
  return packet.length > 0 && packet[0]! <= 3
}
