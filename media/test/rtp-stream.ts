import { writeRtpHeader } from '../src/rtp/packet.ts'
import type { AcceptedSection } from '../src/sdp/accept.ts'

const UNSET = { feedback: [], parameters: new Map<string, string>(), channels: 1 }

/** A microphone with the ssrc 1000. */
export const AUDIO: AcceptedSection = {
  mid: '0',
  kind: 'audio',
  codec: { ...UNSET, payloadType: 109, mime: 'audio/opus', clockRate: 48000, channels: 2 },
  repairPayloadType: null,
  redundantPayloadType: null,
  extensions: { mid: 4, audioLevel: 1 },
  ssrcs: [1000],
  repairSsrcs: new Map(),
  rids: [],
  msid: null,
}

/** A camera with the ssrc 2000 and retransmissions on 2001. */
export const VIDEO: AcceptedSection = {
  mid: '1',
  kind: 'video',
  codec: {
    ...UNSET,
    payloadType: 120,
    mime: 'video/vp8',
    clockRate: 90000,
    feedback: ['nack', 'nack pli', 'goog-remb'],
  },
  repairPayloadType: 124,
  redundantPayloadType: null,
  extensions: { mid: 4, rid: 10, repairedRid: 11 },
  ssrcs: [2000],
  repairSsrcs: new Map([[2000, 2001]]),
  rids: [],
  msid: null,
}

/** A camera in three layers, whose ssrcs the SDP does not name. */
export const SIMULCAST: AcceptedSection = {
  ...VIDEO,
  mid: '2',
  ssrcs: [],
  repairSsrcs: new Map(),
  rids: ['q', 'h', 'f'],
}

export interface TestPacket {
  readonly ssrc: number
  readonly payloadType: number
  readonly sequenceNumber: number
  readonly timestamp?: number
  readonly isMarked?: boolean
  /** By id, in the one-byte form. */
  readonly extensions?: Readonly<Record<number, string | Buffer>>
  readonly payload: Buffer
}

export function rtpPacket(packet: TestPacket): Buffer {
  const header = Buffer.alloc(12)
  writeRtpHeader(header, { timestamp: 0, isMarked: false, ...packet, sequenceNumber: packet.sequenceNumber & 0xffff })
  if (!packet.extensions) return Buffer.concat([header, packet.payload])
  header[0] = header[0]! | 0x10
  const elements = Object.entries(packet.extensions).map(([id, value]) => {
    const content = Buffer.from(value)
    return Buffer.concat([Buffer.from([(Number(id) << 4) | (content.length - 1)]), content])
  })
  const content = Buffer.concat(elements)
  const words = Math.ceil(content.length / 4)
  const block = Buffer.alloc(4 + words * 4)
  block.writeUInt16BE(0xbede, 0)
  block.writeUInt16BE(words, 2)
  content.copy(block, 4)
  return Buffer.concat([header, block, packet.payload])
}

export interface Vp8Payload {
  readonly isKeyframe: boolean
  readonly isStart?: boolean
  readonly pictureId: number
  readonly tl0?: number
  /** Behind the descriptor and the frame header. */
  readonly rest?: Buffer
}

/** A payload as Chromium sends it: 15 bits of picture id, and the index of the base layer. */
export function vp8Payload({
  isKeyframe,
  isStart = true,
  pictureId,
  tl0 = 0,
  rest = Buffer.alloc(0),
}: Vp8Payload): Buffer {
  const descriptor = Buffer.from([isStart ? 0x90 : 0x80, 0xe0, 0, 0, tl0 & 0xff, 0])
  descriptor.writeUInt16BE(0x8000 | (pictureId & 0x7fff), 2)
  return Buffer.concat([descriptor, Buffer.from([isKeyframe ? 0x50 : 0x51]), rest])
}
