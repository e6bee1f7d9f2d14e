import { startsH264Keyframe } from '../rtp/h264.ts'
import type { RtpPacket } from '../rtp/packet.ts'
import { readVp8, type Vp8Descriptor } from '../rtp/vp8.ts'

/** A packet on its way to the viewers. */
export interface IncomingPacket {
  /** The sequence number, counted on over its wraps. */
  readonly extended: number
  readonly timestamp: number
  readonly isMarked: boolean
  readonly payload: Buffer
  /** A viewer can begin with this packet. */
  readonly isEntryPoint: boolean
  /** Of VP8 whose numbers we may rewrite. */
  readonly vp8: Vp8Descriptor | null
}

export type PayloadFormat = 'audio' | 'vp8' | 'h264'

export function formatOf(mime: string): PayloadFormat {
  if (mime === 'video/vp8') return 'vp8'
  return mime === 'video/h264' ? 'h264' : 'audio'
}

/**
 * Of an end-to-end encrypted payload only the bits are read that clients leave plain so that keyframes can be found; its
 * descriptor stays as it is.
 */
export function inspectPacket(
  packet: Pick<RtpPacket, 'timestamp' | 'isMarked' | 'payload'>,
  extended: number,
  format: PayloadFormat,
  isEncrypted: boolean,
): IncomingPacket {
  const { timestamp, isMarked, payload } = packet
  const vp8 = format === 'vp8' ? readVp8(payload) : null
  const isEntryPoint = isEntry(format, payload, vp8)
  return { extended, timestamp, isMarked, payload, isEntryPoint, vp8: isEncrypted ? null : vp8 }
}

function isEntry(format: PayloadFormat, payload: Buffer, vp8: Vp8Descriptor | null): boolean {
  if (format === 'audio') return true
  return format === 'h264' ? startsH264Keyframe(payload) : (vp8?.startsKeyframe ?? false)
}
