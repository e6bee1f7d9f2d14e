/** The payload descriptor of VP8 (RFC 7741) and what the first bytes behind it say. */
export interface Vp8Descriptor {
  /** The first packet of a keyframe. */
  readonly startsKeyframe: boolean
  /** Null if the sender numbers no pictures. */
  readonly pictureId: number | null
  /** Whether the picture id has 15 bits, not 7. */
  readonly isLongPictureId: boolean
  readonly pictureIdAt: number
  /** The number of the last picture of the base layer. */
  readonly tl0PictureIndex: number | null
  readonly tl0At: number
  readonly temporalLayer: number | null
  /** Needs nothing of the temporal layers above the base, so that a viewer can begin with this one. */
  readonly isTemporalSync: boolean
}

/** Null if the payload is too short. */
export function readVp8(payload: Buffer): Vp8Descriptor | null {
  if (payload.length < 2) return null
  const first = payload[0]!
  let at = 1
  let flags = 0
  if ((first & 0x80) !== 0) flags = payload[at++]!
  let pictureId: number | null = null
  let isLongPictureId = false
  const pictureIdAt = at
  if ((flags & 0x80) !== 0) {
    if (at + 1 >= payload.length) return null
    isLongPictureId = payload[at]! >= 0x80
    pictureId = isLongPictureId ? payload.readUInt16BE(at) & 0x7fff : payload[at]!
    at += isLongPictureId ? 2 : 1
  }
  const tl0At = at
  let tl0PictureIndex: number | null = null
  if ((flags & 0x40) !== 0) tl0PictureIndex = payload[at++] ?? null
  let temporalLayer: number | null = null
  let isTemporalSync = false
  if ((flags & 0x30) !== 0) {
    const byte = payload[at++]
    if (byte !== undefined && (flags & 0x20) !== 0) {
      temporalLayer = byte >> 6
      isTemporalSync = (byte & 0x20) !== 0
    }
  }
  if (at >= payload.length) return null
  // The start of partition 0 holds the frame header, whose lowest bit is 0 for keyframes.
  const startsKeyframe = (first & 0x17) === 0x10 && (payload[at]! & 1) === 0
  const numbers = { pictureId, isLongPictureId, pictureIdAt, tl0PictureIndex, tl0At }
  return { startsKeyframe, ...numbers, temporalLayer, isTemporalSync }
}

/** Writes other numbers into a descriptor, in place. They take as many bits as those that were there. */
export function rewriteVp8(
  payload: Buffer,
  descriptor: Vp8Descriptor,
  pictureId: number,
  tl0PictureIndex: number,
): void {
  if (descriptor.pictureId !== null) {
    if (descriptor.isLongPictureId) payload.writeUInt16BE(0x8000 | (pictureId & 0x7fff), descriptor.pictureIdAt)
    else payload[descriptor.pictureIdAt] = pictureId & 0x7f
  }
  if (descriptor.tl0PictureIndex !== null) payload[descriptor.tl0At] = tl0PictureIndex & 0xff
}
