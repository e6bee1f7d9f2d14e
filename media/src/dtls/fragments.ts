import type { Fragment, HandshakeMessage } from './handshake-messages.ts'

/** Waiting messages of one peer, and their size altogether. */
const MAX_MESSAGES = 8
const MAX_BYTES = 16_384

interface Partial {
  readonly type: number
  readonly body: Buffer
  /** One for each byte that has arrived. */
  readonly arrived: Uint8Array
  missing: number
}

export interface Reassembly {
  /** Whether the message of this fragment has already been taken. */
  isRepeated(fragment: Fragment): boolean
  /** Keeps a fragment; one that does not fit the others or the limits is dropped. */
  add(fragment: Fragment): void
  /** The next message in order, once it is complete. */
  take(): HandshakeMessage | undefined
}

/** Puts handshake messages together from fragments that arrive in any order, repeatedly or overlapping. */
export function createReassembly(): Reassembly {
  const waiting = new Map<number, Partial>()
  let next = 0
  let size = 0

  function begin({ type, length, sequence }: Fragment): Partial | undefined {
    if (sequence >= next + MAX_MESSAGES || size + length > MAX_BYTES) return undefined
    const partial = { type, body: Buffer.alloc(length), arrived: new Uint8Array(length), missing: length }
    waiting.set(sequence, partial)
    size += length
    return partial
  }

  return {
    isRepeated: ({ sequence }) => sequence < next,
    add(fragment) {
      if (fragment.sequence < next) return
      const partial = waiting.get(fragment.sequence) ?? begin(fragment)
      if (partial === undefined || partial.type !== fragment.type || partial.body.length !== fragment.length) return
      for (const [at, byte] of fragment.body.entries()) {
        const place = fragment.offset + at
        if (partial.arrived[place] === 1) continue
        partial.body[place] = byte
        partial.arrived[place] = 1
        partial.missing -= 1
      }
    },
    take() {
      const partial = waiting.get(next)
      if (partial === undefined || partial.missing > 0) return undefined
      waiting.delete(next)
      size -= partial.body.length
      next += 1
      return { type: partial.type, sequence: next - 1, body: partial.body }
    },
  }
}
