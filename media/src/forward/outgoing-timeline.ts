import { timestampDistance } from '../rtp/unwrap.ts'
import type { IncomingLayer } from './incoming-layer.ts'
import type { IncomingPacket } from './incoming-packet.ts'
import { SkippedPackets } from './skipped-packets.ts'

/** What numbers are made of, whether the packet has just arrived or was stored. */
export type NumberedPacket = Pick<IncomingPacket, 'extended' | 'timestamp' | 'vp8'>

/** How the numbers of one layer become those of the viewer's stream, from one packet on. */
export interface Segment {
  readonly layer: IncomingLayer
  readonly firstIn: number
  readonly firstOut: number
  /** The latest that was sent of it. */
  lastIn: number
  readonly timestampOffset: number
  readonly pictureIdOffset: number
  readonly tl0Offset: number
  /** What the viewer doesn't get of it, without a gap in the numbers; null if nothing. */
  skipped: SkippedPackets | null
}

/** Packets of an earlier segment may still arrive, or be asked for; not for longer than this many switches. */
const MAX_SEGMENTS = 4
/** Packets that are later than this are left out: SRTP tells late from early ones only within half a cycle. */
const MAX_LATE = 0x4000
/** How far the clocks of two layers may be apart from what the time of arrival suggests, in milliseconds. */
const TOLERANCE = 2000

/**
 * The numbers of one stream to one viewer. Within a segment they follow the publisher's, so that what was lost upstream
 * stays recognizable as a gap, and what is skipped leaves none. Between segments they continue without one, whatever was left out: other layers, a
 * mute, a pause.
 */
export class OutgoingTimeline {
  readonly #clockRate: number
  #segments: Segment[] = []
  #current: Segment | null = null
  #highestOut: number
  #hasSent = false
  #lastTimestamp = 0
  #lastSentAt = 0
  #lastPictureId = 0
  #lastTl0 = 0

  /** Below 2^15, so that the viewer's roll-over counter starts like ours. */
  constructor(clockRate: number, firstSequence: number) {
    this.#clockRate = clockRate
    this.#highestOut = firstSequence - 1
  }

  get currentLayer(): IncomingLayer | null {
    return this.#current?.layer ?? null
  }

  /** The segment that a packet belongs to, also if it comes late. */
  find(layer: IncomingLayer, extended: number): Segment | null {
    const current = this.#current
    if (current?.layer === layer && extended >= current.firstIn) return isSkipped(current, extended) ? null : current
    for (const segment of this.#segments) {
      const isInside = extended >= segment.firstIn && extended <= segment.lastIn
      if (segment === current || segment.layer !== layer || !isInside || isSkipped(segment, extended)) continue
      if (this.#highestOut - outOf(segment, extended) < MAX_LATE) return segment
    }
    return null
  }

  /** Whether a switch to the layer may begin with this packet: not if it is older than what was sent of it. */
  canBegin(layer: IncomingLayer, extended: number): boolean {
    if (this.#current?.layer === layer) return false
    return this.#segments.every((segment) => segment.layer !== layer || extended > segment.lastIn)
  }

  /** Switches to a layer, from this packet on. */
  begin(layer: IncomingLayer, packet: NumberedPacket, now: number): Segment {
    const last = this.#segments.at(-1)
    const segment: Segment = {
      layer,
      firstIn: packet.extended,
      lastIn: packet.extended,
      firstOut: this.#highestOut + 1,
      timestampOffset: last ? (this.#nextTimestamp(last, layer, packet, now) - packet.timestamp) | 0 : 0,
      pictureIdOffset: last ? this.#lastPictureId + 1 - (packet.vp8?.pictureId ?? 0) : 0,
      tl0Offset: last ? this.#lastTl0 + 1 - (packet.vp8?.tl0PictureIndex ?? 0) : 0,
      skipped: null,
    }
    this.#segments = [...this.#segments.slice(1 - MAX_SEGMENTS), segment]
    this.#current = segment
    return segment
  }

  /** What comes next needs a new segment. */
  interrupt(): void {
    this.#current = null
  }

  /** A packet of the current segment is left out, later than all that were sent of it. */
  skip(segment: Segment, { extended, vp8 }: NumberedPacket): void {
    segment.skipped ??= new SkippedPackets()
    segment.skipped.add(extended, vp8?.pictureId ?? null)
  }

  /** A packet is sent as part of this segment. Returns its sequence number. */
  sent(segment: Segment, packet: NumberedPacket, now: number): number {
    const out = outOf(segment, packet.extended)
    if (out > this.#highestOut) {
      this.#highestOut = out
      segment.lastIn = packet.extended
      this.#lastSentAt = now
      this.#note(packet, segment)
    }
    return out & 0xffff
  }

  /** Where a sequence number that the viewer misses came from. */
  locate(sequenceNumber: number): { segment: Segment; extended: number } | null {
    const out = this.#highestOut + (((sequenceNumber - this.#highestOut) << 16) >> 16)
    if (this.#highestOut - out >= MAX_LATE) return null
    const segment = this.#segments.findLast(({ firstOut }) => firstOut <= out)
    const closed = segment ? segment.firstIn + out - segment.firstOut : 0
    const extended = segment?.skipped?.locate(closed) ?? closed
    return segment && extended <= segment.lastIn ? { segment, extended } : null
  }

  /** The viewer's timestamp for one of the publisher's; null while nothing of that layer is sent. */
  translate(layer: IncomingLayer, timestamp: number): number | null {
    return this.#current?.layer === layer ? (timestamp + this.#current.timestampOffset) >>> 0 : null
  }

  #note(packet: NumberedPacket, segment: Segment): void {
    const timestamp = (packet.timestamp + segment.timestampOffset) >>> 0
    if (!this.#hasSent || timestampDistance(timestamp, this.#lastTimestamp) > 0) this.#lastTimestamp = timestamp
    this.#hasSent = true
    if (!packet.vp8) return
    if (packet.vp8.pictureId !== null) {
      const skipped = segment.skipped?.picturesBefore(packet.extended) ?? 0
      this.#lastPictureId = packet.vp8.pictureId + segment.pictureIdOffset - skipped
    }
    if (packet.vp8.tl0PictureIndex !== null) this.#lastTl0 = packet.vp8.tl0PictureIndex + segment.tl0Offset
  }

  /** Always later than the last: by the publisher's clock where it is believable, else by the time of arrival. */
  #nextTimestamp(last: Segment, layer: IncomingLayer, packet: NumberedPacket, now: number): number {
    const elapsed = Math.max(1, Math.round(((now - this.#lastSentAt) * this.#clockRate) / 1000))
    const tolerance = (TOLERANCE * this.#clockRate) / 1000
    const wanted = last.layer === layer ? packet.timestamp + last.timestampOffset : this.#byClock(last, layer, packet)
    if (wanted !== null) {
      const distance = timestampDistance(wanted, this.#lastTimestamp)
      // A publisher that was paused may have stopped its clock, or let it run.
      const isBelievable = last.layer === layer ? distance > 0 : distance > 0 && distance < elapsed + tolerance
      if (isBelievable) return wanted
    }
    return this.#lastTimestamp + elapsed
  }

  /** What the last layer's clock shows when the other layer's shows the packet's timestamp. */
  #byClock(last: Segment, layer: IncomingLayer, packet: NumberedPacket): number | null {
    const from = layer.clock
    const to = last.layer.clock
    if (!from || !to) return null
    const wallTime = from.wallTime + (timestampDistance(packet.timestamp, from.timestamp) * 1000) / this.#clockRate
    const onLast = to.timestamp + Math.round(((wallTime - to.wallTime) * this.#clockRate) / 1000)
    return onLast + last.timestampOffset
  }
}

function outOf({ firstOut, firstIn, skipped }: Segment, extended: number): number {
  return firstOut + extended - firstIn - (skipped?.packetsBefore(extended) ?? 0)
}

function isSkipped({ skipped }: Segment, extended: number): boolean {
  return skipped?.has(extended) ?? false
}
