import { isRepeatable, writeRed, type SoundFrame } from '../rtp/red.ts'
import { REDUNDANT_SOUND } from '../sdp/viewer-codec.ts'
import type { IncomingPacket } from './incoming-packet.ts'

/** Frames that a packet may repeat at most. */
export const MOST_REPEATED = 2
/** Packets come in another order than they were sent in. */
const SLOTS = 8
/** A packet that is larger may not fit into one datagram on every path. */
const MAX_SIZE = 1100

interface Slot extends SoundFrame {
  readonly extended: number
}

/** Recent sound of a stream, so that packets can repeat it for viewers who take redundancy. */
export class RepeatedSound {
  readonly #slots: (Slot | undefined)[] = Array.from({ length: SLOTS })
  readonly #buffers = Array.from({ length: SLOTS }, () => Buffer.allocUnsafeSlow(MAX_SIZE))
  /** What was written for the last packet, by the number of frames to be repeated: the same for all viewers. */
  readonly #written = Array.from({ length: MOST_REPEATED }, () => Buffer.allocUnsafeSlow(MAX_SIZE))
  readonly #sizes: (number | undefined)[] = []
  #writtenFor = -1

  put({ extended, timestamp, payload }: IncomingPacket): void {
    const place = extended % SLOTS
    const buffer = this.#buffers[place]!
    const size = payload.length <= MAX_SIZE ? payload.copy(buffer) : 0
    this.#slots[place] = { extended, timestamp, payload: buffer.subarray(0, size) }
  }

  /** The payload of a packet that repeats up to this many frames; null if it is best sent alone. Valid until the next packet. */
  before(packet: IncomingPacket, frames: number): Buffer | null {
    if (packet.extended !== this.#writtenFor) {
      this.#sizes.length = 0
      this.#writtenFor = packet.extended
    }
    const target = this.#written[frames - 1]!
    const size = (this.#sizes[frames] ??= this.#write(target, packet, frames))
    return size === 0 ? null : target.subarray(0, size)
  }

  #write(target: Buffer, packet: IncomingPacket, frames: number): number {
    if (packet.payload.length === 0) return 0
    const earlier: Slot[] = []
    for (let extended = packet.extended - frames; extended < packet.extended; extended += 1) {
      const slot = this.#slots[extended % SLOTS]
      if (slot?.extended === extended && isRepeatable(slot, packet.timestamp)) earlier.push(slot)
    }
    for (; earlier.length > 0; earlier.shift()) {
      const size = writeRed(target, REDUNDANT_SOUND.of, earlier, packet)
      if (size > 0) return size
    }
    return 0
  }
}
