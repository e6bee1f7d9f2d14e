import { ArrivalLog } from '../src/forward/arrival-log.ts'
import { createForwarder } from '../src/forward/forwarder.ts'
import type { PublishedTrack, PublishedTrackOptions } from '../src/forward/published-track.ts'
import type { Subscription } from '../src/forward/subscription.ts'
import { readExtension, readRtp, type RtpPacket } from '../src/rtp/packet.ts'
import { readVp8 } from '../src/rtp/vp8.ts'
import { writeNack, writeReceiverReport, writeTransportFeedback } from '../src/rtp/write-rtcp.ts'
import type { AcceptedSection } from '../src/sdp/accept.ts'
import { VIEWER_EXTENSIONS } from '../src/sdp/extensions.ts'
import { memoryTransport, type MemoryTransport } from './memory-transport.ts'
import { createDirection, createReturn, type BadNetwork, type NetworkDirection } from './network-direction.ts'
import { rtpPacket, vp8Payload } from './rtp-stream.ts'

const STEP = 5
const FRAME = 100 / 3
const PART = 1100
/** Temporal layers of four frames, and whether a viewer can begin with them. */
const PATTERN = [
  [0, false],
  [2, true],
  [1, true],
  [2, false],
] as const
const SHARES = [1.6, 0.8, 0.8, 0.8]
const KEYFRAME_FACTOR = 5

export interface Camera {
  readonly track: PublishedTrack
  readonly upstream: MemoryTransport
  /** Bits per second of each layer. Those at 0 send nothing. */
  readonly bitrates: number[]
}

/** What a viewer has seen of a camera, by its subscription. */
export interface Seen {
  /** When a whole frame arrived, and of which layer it was. */
  readonly frames: { readonly at: number; readonly layer: number; readonly temporal: number }[]
  readonly packets: Map<number, RtpPacket>
  lowest: number
  highest: number
}

/** Publishers, and one viewer behind a bad network, in virtual time: the forwarder as it is, without sockets. */
export class VirtualCall {
  now = 1000
  readonly forwarder = createForwarder({ now: () => this.now })
  readonly downstream = memoryTransport()
  readonly viewer = this.forwarder.addViewer(this.downstream)
  /** Of sound: how long packets took, by sequence number. */
  readonly sound = new Map<number, number>()
  readonly seen = new Map<number, Seen>()
  soundSent = 0
  bytesSent = 0
  /** Whether the viewer says when packets arrive. */
  saysArrivals = true
  #reportedAt = 0
  readonly #cameras: { readonly camera: Camera; readonly frame: (now: number) => void }[] = []
  #direction: NetworkDirection
  #return: NetworkDirection
  #underWay: { at: number; deliver: () => void }[] = []
  readonly #log = new ArrivalLog()
  #feedbackAt = 0
  #taken = 0
  #speak = (): void => {}

  constructor(network: BadNetwork) {
    this.#direction = createDirection(network)
    this.#return = createReturn(network)
  }

  set network(network: BadNetwork) {
    this.#direction = createDirection(network)
    this.#return = createReturn(network)
  }

  /** A publisher who speaks all the time. */
  speak(section: AcceptedSection): Subscription {
    const upstream = memoryTransport()
    const track = this.forwarder.addPublisher(upstream).publish(section)
    const subscription = this.viewer.subscribe(track)
    subscription.start({ withArrivals: true })
    let sequenceNumber = 0
    this.#speak = () => {
      if (this.now % 20 !== 0) return
      sequenceNumber += 1
      this.soundSent += 1
      const { payloadType } = section.codec
      const header = { ssrc: section.ssrcs[0]!, payloadType, sequenceNumber, timestamp: sequenceNumber * 960 }
      upstream.onRtp(rtpPacket({ ...header, payload: Buffer.alloc(100) }))
    }
    return subscription
  }

  /** A publisher whose camera sends 30 frames a second, with one or three temporal layers. */
  film(
    section: AcceptedSection,
    bitrates: number[],
    options: PublishedTrackOptions & { readonly isFlat?: boolean; readonly keyframeEvery?: number } = {},
  ): Camera {
    const upstream = memoryTransport()
    const track = this.forwarder.addPublisher(upstream).publish(section, options)
    const camera = { track, upstream, bitrates }
    this.#cameras.push({ camera, frame: createEncoder(camera, section, options) })
    return camera
  }

  watch({ track }: Camera): Subscription & { readonly seen: Seen } {
    const subscription = this.viewer.subscribe(track)
    subscription.start({ withArrivals: true })
    const seen: Seen = { frames: [], packets: new Map(), lowest: Infinity, highest: -1 }
    this.seen.set(subscription.ssrc, seen)
    if (subscription.repairSsrc !== null) this.#repairs.set(subscription.repairSsrc, subscription.ssrc)
    return Object.assign(subscription, { seen })
  }

  run(seconds: number): void {
    for (const end = this.now + seconds * 1000; this.now < end;) this.#step()
  }

  readonly #repairs = new Map<number, number>()

  #step(): void {
    this.now += STEP
    this.#speak()
    for (const { frame } of this.#cameras) frame(this.now)
    this.forwarder.tick()
    for (; this.#taken < this.downstream.sent.length; this.#taken++) this.#carry(this.downstream.sent[this.#taken]!)
    const due = this.#underWay.filter(({ at }) => at <= this.now).sort((a, b) => a.at - b.at)
    this.#underWay = this.#underWay.filter(({ at }) => at > this.now)
    for (const { deliver } of due) deliver()
    if (this.now >= this.#feedbackAt) this.#report()
  }

  #carry(bytes: Buffer): void {
    const sentAt = this.now
    this.bytesSent += bytes.length
    const delay = this.#direction(bytes.length + 44, sentAt)
    if (delay === null) return
    const at = sentAt + delay
    this.#underWay.push({ at, deliver: () => this.#receive(readRtp(bytes)!, at - sentAt, at) })
  }

  #receive(packet: RtpPacket, took: number, at: number): void {
    const number = readExtension(packet, VIEWER_EXTENSIONS.transportCc)
    if (number) this.#log.add(number.readUInt16BE(0), at)
    const repaired = this.#repairs.get(packet.ssrc)
    if (repaired !== undefined) {
      if (packet.payload.length <= 2) return
      const sequenceNumber = packet.payload.readUInt16BE(0)
      this.#see(this.seen.get(repaired)!, { ...packet, sequenceNumber, payload: packet.payload.subarray(2) })
      return
    }
    const seen = this.seen.get(packet.ssrc)
    if (seen) this.#see(seen, packet)
    else this.sound.set(packet.sequenceNumber, took)
  }

  #see(seen: Seen, packet: RtpPacket): void {
    if (seen.packets.has(packet.sequenceNumber)) return
    seen.packets.set(packet.sequenceNumber, packet)
    seen.lowest = Math.min(seen.lowest, packet.sequenceNumber)
    seen.highest = Math.max(seen.highest, packet.sequenceNumber)
    let first = packet.sequenceNumber
    const at = (number: number): RtpPacket | undefined => {
      const found = seen.packets.get(number)
      return found?.timestamp === packet.timestamp ? found : undefined
    }
    while (at(first - 1)) first -= 1
    let last = packet.sequenceNumber
    while (at(last + 1)) last += 1
    const start = at(first)!.payload
    if ((start[0]! & 0x10) === 0 || !at(last)!.isMarked) return
    seen.frames.push({ at: this.now, layer: start[7]!, temporal: readVp8(start)?.temporalLayer ?? 0 })
  }

  /** The viewer says what has arrived, and asks for what is missing. */
  #report(): void {
    this.#feedbackAt = this.now + 100
    const packets =
      this.saysArrivals && this.#log.isDue
        ? this.#log.take().map((content) => writeTransportFeedback(1, 2, content))
        : []
    for (const [ssrc, { packets: known, lowest, highest }] of this.seen) {
      const missing = Array.from({ length: 200 }, (_, back) => highest - 200 + back)
      const lost = missing.filter((number) => number > lowest && !known.has(number))
      if (lost.length > 0) packets.push(writeNack(1, ssrc, lost))
    }
    if (this.now - this.#reportedAt >= 1000) {
      this.#reportedAt = this.now
      packets.push(writeReceiverReport(1, []))
    }
    for (const packet of packets) {
      const delay = this.#return(packet.length, this.now)
      const deliver = (): void => this.downstream.onRtcp(packet)
      if (delay !== null) this.#underWay.push({ at: this.now + delay, deliver })
    }
  }
}

function createEncoder(
  { upstream, bitrates }: Camera,
  section: AcceptedSection,
  { isFlat = false, keyframeEvery = Infinity }: { readonly isFlat?: boolean; readonly keyframeEvery?: number },
): (now: number) => void {
  const streams = bitrates.map((_, layer) => ({ sequenceNumber: 0, ssrc: section.ssrcs[layer] ?? 3000 + layer }))
  let frames = 0
  let nextAt = 0
  let requestsSeen = 0
  return (now) => {
    if (now < nextAt) return
    nextAt = Math.max(nextAt + FRAME, now)
    const wanted = new Set<number>()
    for (; requestsSeen < upstream.rtcp.length; requestsSeen++) {
      const request = upstream.rtcp[requestsSeen]!
      if (request.type === 'picture-loss') wanted.add(request.ssrc)
    }
    frames += 1
    for (const [layer, stream] of streams.entries()) {
      const isKeyframe = frames === 1 || wanted.has(stream.ssrc) || frames % keyframeEvery === 0
      const [temporal, isSync] = isFlat || isKeyframe ? [0, false] : PATTERN[frames % 4]!
      const factor = isKeyframe ? KEYFRAME_FACTOR : isFlat ? 1 : SHARES[frames % 4]!
      let left = Math.round(((bitrates[layer]! * FRAME) / 8000) * factor)
      for (let isStart = true; left > 0; isStart = false) {
        const size = Math.min(left, PART)
        left -= size
        const rest = Buffer.alloc(size, layer)
        const payload = vp8Payload({ isKeyframe, isStart, pictureId: frames, tl0: frames >> 2, rest })
        payload[5] = (temporal << 6) | (isSync ? 0x20 : 0)
        const { rids } = section
        upstream.onRtp(
          rtpPacket({
            ssrc: stream.ssrc,
            payloadType: section.codec.payloadType,
            sequenceNumber: stream.sequenceNumber++,
            timestamp: frames * 3000,
            isMarked: left === 0,
            ...(rids.length > 0 && { extensions: { 4: section.mid, 10: rids[layer]! } }),
            payload,
          }),
        )
      }
    }
  }
}
