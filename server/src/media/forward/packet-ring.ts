import type { Vp8Descriptor } from '../rtp/vp8.ts'
import type { IncomingPacket } from './incoming-packet.ts'

/** More than a second of a stream of 2.5 Mbit/s. */
export const RING_SIZE = 512
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
  readonly #slots: (StoredPacket | undefined)[] = Array.from({ length: RING_SIZE })

  get(extended: number): StoredPacket | undefined {
    const slot = this.#slots[extended % RING_SIZE]
    return slot?.extended === extended ? slot : undefined
  }

  put({ extended, timestamp, isMarked, payload, vp8 }: IncomingPacket): void {
    if (payload.length > MAX_PAYLOAD) return
    let slot = this.#slots[extended % RING_SIZE]
    if (!slot || slot.bytes.length < payload.length) {
      const capacity = Math.ceil(payload.length / GRANULARITY) * GRANULARITY
      slot = { extended, timestamp, isMarked, vp8, size: 0, bytes: Buffer.allocUnsafeSlow(capacity) }
      this.#slots[extended % RING_SIZE] = slot
    }
    slot.extended = extended
    slot.timestamp = timestamp
    slot.isMarked = isMarked
    slot.vp8 = vp8
    slot.size = payload.copy(slot.bytes)
  }
}
