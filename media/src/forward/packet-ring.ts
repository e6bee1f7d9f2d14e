import type { Vp8Descriptor } from '../rtp/vp8.ts'
import type { IncomingPacket } from './incoming-packet.ts'

/** More than a second of a stream of 2.5 Mbit/s. */
export const RING_SIZE = 512
/** More than a second of the smallest layer. */
const SMALLEST_RING = 128
/** Larger packets don't come from browsers, and aren't stored. */
const MAX_PAYLOAD = 1500
const GRANULARITY = 256

export interface StoredPacket {
  extended: number
  timestamp: number
  isMarked: boolean
  vp8: Vp8Descriptor | null
  size: number
  bytes: Buffer
}

/** The latest packets of a layer, so that they can be sent again. Its buffers are allocated once and written over. */
export class PacketRing {
  readonly #slots: (StoredPacket | undefined)[]

  /** Layers below the highest have about a quarter of the bit rate of the next, so that half as many packets suffice. */
  constructor(layersAbove = 0) {
    this.#slots = Array.from({ length: Math.max(SMALLEST_RING, RING_SIZE >> layersAbove) })
  }

  get(extended: number): StoredPacket | undefined {
    const slot = this.#slots[extended % this.#slots.length]
    return slot?.extended === extended ? slot : undefined
  }

  put({ extended, timestamp, isMarked, payload, vp8 }: IncomingPacket): void {
    if (payload.length > MAX_PAYLOAD) return
    const place = extended % this.#slots.length
    let slot = this.#slots[place]
    if (!slot || slot.bytes.length < payload.length) {
      const capacity = Math.ceil(payload.length / GRANULARITY) * GRANULARITY
      slot = { extended, timestamp, isMarked, vp8, size: 0, bytes: Buffer.allocUnsafeSlow(capacity) }
      this.#slots[place] = slot
    }
    slot.extended = extended
    slot.timestamp = timestamp
    slot.isMarked = isMarked
    slot.vp8 = vp8
    slot.size = payload.copy(slot.bytes)
  }
}
