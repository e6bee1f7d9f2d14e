import { readRtp, RTP_HEADER_SIZE } from '../../media/src/rtp/packet.ts'
import { readRtcp } from '../../media/src/rtp/read-rtcp.ts'
import { rtpPacket, vp8Payload } from '../../media/test/rtp-stream.ts'
import type { TestPeer } from '../../media/test/test-peer.ts'
import { joinRoom, type RoomAddress, type RoomClient } from './room-client.ts'

/** What this program does on request, one thing at a time. */
export type LoadRequest =
  | {
      readonly do: 'join'
      readonly kind: 'audio' | 'video'
      readonly senders: number
      readonly addresses: RoomAddress[]
    }
  | { readonly do: 'measure'; readonly milliseconds: number }
  | { readonly do: 'leave' }

export interface LoadResult {
  readonly sent: number
  /** Packets that reached a receiver. */
  readonly received: number
  /** Milliseconds from sender to receiver. */
  readonly p50: number
  readonly p99: number
}

const OPUS = { every: 20, size: 120 }
/** 2.5 Mbit/s at 30 frames a second. */
const VIDEO = { every: 33.3, packets: 9, size: 1157 }
const JOINING_AT_ONCE = 5
const MAX_SAMPLES = 200_000

let clients: RoomClient[] = []
let timers: NodeJS.Timeout[] = []
let counted = { sent: 0, received: 0, delays: [] as number[] }

async function join({ kind, senders, addresses }: Extract<LoadRequest, { do: 'join' }>): Promise<void> {
  while (clients.length < addresses.length) {
    const next = addresses.slice(clients.length, clients.length + JOINING_AT_ONCE)
    clients.push(...(await Promise.all(next.map((address) => joinRoom(address)))))
  }
  for (const client of clients) client.onRtp = onRtp
  for (const [index, client] of clients.slice(0, senders).entries()) {
    const ssrc = 1000 + index
    const peer = await client.publish(kind, ssrc)
    await new Promise((resolve) => setTimeout(resolve, (OPUS.every / senders) * index))
    if (kind === 'audio') speak(peer, ssrc)
    else show(peer, ssrc)
  }
}

function speak(peer: TestPeer, ssrc: number): void {
  let sequenceNumber = 0
  every(OPUS.every, () => {
    sequenceNumber += 1
    const timestamp = sequenceNumber * 960
    const extensions = { 1: Buffer.from([0x80 | 30]), 4: '1' }
    send(
      peer,
      rtpPacket({ ssrc, payloadType: 111, sequenceNumber, timestamp, extensions, payload: stamped(OPUS.size) }),
    )
  })
}

function show(peer: TestPeer, ssrc: number): void {
  let sequenceNumber = 0
  let pictureId = 0
  let isKeyframe = true
  peer.onRtcp = (compound) => {
    const isRequested = readRtcp(compound).some(({ type }) => type === 'picture-loss' || type === 'full-intra-request')
    isKeyframe ||= isRequested
  }
  every(VIDEO.every, () => {
    pictureId += 1
    for (let part = 0; part < VIDEO.packets; part++) {
      sequenceNumber += 1
      const rest = stamped(VIDEO.size)
      const payload = vp8Payload({ isKeyframe, isStart: part === 0, pictureId, tl0: pictureId, rest })
      const isMarked = part === VIDEO.packets - 1
      const extensions = { 4: '1' }
      const timestamp = pictureId * 3000
      send(peer, rtpPacket({ ssrc, payloadType: 96, sequenceNumber, timestamp, isMarked, extensions, payload }))
    }
    isKeyframe = false
  })
}

/** Catches up after the timer was late, so that the load is the same on a busy machine. */
function every(milliseconds: number, run: () => void): void {
  const start = performance.now()
  let runs = 0
  timers.push(
    setInterval(() => {
      const due = Math.floor((performance.now() - start) / milliseconds)
      for (; runs < due; runs += 1) run()
    }, milliseconds / 2),
  )
}

/** Ends with the time at which it was made. */
function stamped(size: number): Buffer {
  const bytes = Buffer.alloc(size, 1)
  bytes.writeDoubleBE(performance.now(), size - 8)
  return bytes
}

function send(peer: TestPeer, packet: Buffer): void {
  const headerSize = RTP_HEADER_SIZE + 4 + 4 * packet.readUInt16BE(14)
  counted.sent += 1
  peer.sendRtp(packet.subarray(0, headerSize), packet.subarray(headerSize))
}

function onRtp(packet: Buffer): void {
  const payload = readRtp(packet)?.payload
  // Servers also send padding.
  if (!payload || payload.length < OPUS.size) return
  counted.received += 1
  if (counted.delays.length < MAX_SAMPLES)
    counted.delays.push(performance.now() - payload.readDoubleBE(payload.length - 8))
}

async function measure(milliseconds: number): Promise<LoadResult> {
  counted = { sent: 0, received: 0, delays: [] }
  await new Promise((resolve) => setTimeout(resolve, milliseconds))
  const { sent, received, delays } = counted
  const sorted = Float64Array.from(delays).sort()
  const percentile = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? NaN
  return { sent, received, p50: percentile(0.5), p99: percentile(0.99) }
}

async function leave(): Promise<void> {
  for (const timer of timers) clearInterval(timer)
  timers = []
  await Promise.all(clients.map((client) => client.leave()))
  clients = []
}

async function answer(request: LoadRequest): Promise<LoadResult | object> {
  if (request.do === 'measure') return measure(request.milliseconds)
  await (request.do === 'join' ? join(request) : leave())
  return {}
}

process.on('message', (request: LoadRequest) => void answer(request).then((result) => process.send?.(result)))
