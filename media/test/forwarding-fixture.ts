import type { AcceptedSection } from '../src/sdp/accept.ts'
import { createForwarder, type Forwarder } from '../src/forward/forwarder.ts'
import type { PublishedTrack, PublishedTrackOptions } from '../src/forward/published-track.ts'
import type { Publisher } from '../src/forward/publisher.ts'
import type { Subscription } from '../src/forward/subscription.ts'
import { memoryTransport, type MemoryTransport } from './memory-transport.ts'
import { rtpPacket, vp8Payload } from './rtp-stream.ts'

/** A publisher, viewers and a clock, without a network. */
export interface ForwardingFixture {
  readonly forwarder: Forwarder
  readonly publisher: Publisher
  readonly upstream: MemoryTransport
  /** Lets time pass, in steps of a tick. */
  wait(milliseconds: number): void
  view(track: PublishedTrack): { subscription: Subscription; transport: MemoryTransport }
}

function forwardingFixture(): ForwardingFixture {
  let time = 1000
  const forwarder = createForwarder({ now: () => time })
  const upstream = memoryTransport()
  const publisher = forwarder.addPublisher(upstream)
  return {
    forwarder,
    publisher,
    upstream,
    wait(milliseconds) {
      for (let passed = 0; passed < milliseconds; passed += 50) {
        time += Math.min(50, milliseconds - passed)
        forwarder.tick()
      }
    },
    view(track) {
      const transport = memoryTransport()
      const subscription = forwarder.addViewer(transport).subscribe(track)
      subscription.start()
      return { subscription, transport }
    },
  }
}

/** Of the track AUDIO. */
export function opus(sequenceNumber: number, payload = 'sound'): Buffer {
  return rtpPacket({
    ssrc: 1000,
    payloadType: 109,
    sequenceNumber,
    timestamp: sequenceNumber * 960,
    extensions: { 1: Buffer.from([0x80 | 20]), 4: '0' },
    payload: Buffer.from(payload),
  })
}

/** One frame of one packet. */
export function vp8(sequenceNumber: number, isKeyframe = false, pictureId = sequenceNumber): Buffer {
  const payload = vp8Payload({ isKeyframe, pictureId, tl0: pictureId, rest: Buffer.from(`frame ${sequenceNumber}`) })
  return rtpPacket({
    ssrc: 2000,
    payloadType: 120,
    sequenceNumber,
    timestamp: sequenceNumber * 3000,
    isMarked: true,
    payload,
  })
}

const LAYERS = ['q', 'h', 'f']

/** One frame of one packet, in a layer of the track SIMULCAST. */
export function layered(
  layer: number,
  sequenceNumber: number,
  isKeyframe = false,
  options: Partial<{ ssrc: number }> = {},
): Buffer {
  return rtpPacket({
    ssrc: options.ssrc ?? 3000 + layer,
    payloadType: 120,
    sequenceNumber,
    timestamp: layer * 1_000_000 + sequenceNumber * 3000,
    extensions: { 4: '2', 10: LAYERS[layer]! },
    payload: vp8Payload({ isKeyframe, pictureId: sequenceNumber, rest: Buffer.from(LAYERS[layer]!) }),
  })
}

export const textOf = (transport: MemoryTransport): string[] => transport.rtp.map(({ payload }) => payload.toString())
/** What follows the descriptor and the frame header. */
export const framesOf = (transport: MemoryTransport): string[] =>
  transport.rtp.map(({ payload }) => payload.subarray(7).toString())
export const countOf = (transport: MemoryTransport, type: string): number =>
  transport.rtcp.filter((packet) => packet.type === type).length

/** Somebody publishes this. */
export function published(
  section: AcceptedSection,
  options?: PublishedTrackOptions,
): ForwardingFixture & { track: PublishedTrack } {
  const built = forwardingFixture()
  return { ...built, track: built.publisher.publish(section, options) }
}
