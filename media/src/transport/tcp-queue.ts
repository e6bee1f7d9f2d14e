import type { Writable } from 'node:stream'
import { uint } from '../packet/bytes.ts'

/** What the stream takes before the connection has: nothing can overtake it anymore. */
export const WRITE_AHEAD_BYTES = 16_384
/** What waits beyond this would arrive too late to be of use. */
const MAX_WAITING_BYTES = 262_144

/** What waits for a connection that is too slow. */
export interface TcpQueue {
  /** Returns false if the packet is dropped. One that can wait lets all others go first. */
  add(packet: Buffer, canWait: boolean): boolean
}

export function createTcpQueue(stream: Writable): TcpQueue {
  const [first, last] = [createLine(), createLine()]

  function write(packet: Buffer) {
    stream.cork()
    stream.write(uint(2, packet.length))
    stream.write(packet)
    stream.uncork()
  }

  function writeOn() {
    while (stream.writable && !stream.writableNeedDrain) {
      const packet = first.take() ?? last.take()
      if (packet === undefined) return
      write(packet)
    }
  }

  stream.on('drain', writeOn)
  return {
    add(packet, canWait) {
      if (!stream.writable || !(canWait ? last : first).add(packet)) return false
      writeOn()
      return true
    },
  }
}

function createLine() {
  const packets: Buffer[] = []
  let bytes = 0
  return {
    add(packet: Buffer): boolean {
      if (bytes + packet.length > MAX_WAITING_BYTES) return false
      bytes += packet.length
      packets.push(packet)
      return true
    },
    take(): Buffer | undefined {
      const packet = packets.shift()
      bytes -= packet?.length ?? 0
      return packet
    },
  }
}
