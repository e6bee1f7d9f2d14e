const SEQUENCE_PARAMETERS = 7
const AGGREGATE = 24

/**
 * Whether decoding can begin with this packet (RFC 6184). Senders repeat the sequence parameters before every keyframe, and
 * a decoder that starts at the keyframe itself lacks them.
 */
export function startsH264Keyframe(payload: Buffer): boolean {
  const type = (payload[0] ?? 0) & 0x1f
  if (type === SEQUENCE_PARAMETERS) return true
  if (type !== AGGREGATE) return false
  let at = 1
  while (at + 2 < payload.length) {
    if ((payload[at + 2]! & 0x1f) === SEQUENCE_PARAMETERS) return true
    at += 2 + payload.readUInt16BE(at)
  }
  return false
}
