import { createCipheriv, createHmac } from 'node:crypto'
import type { Secret } from '../secrets/secret.ts'

/** In bytes: of AES, and of what is used of it. */
const BLOCK = 16
const LENGTH = 6
/** Sums of tokens are taken modulo this: with one more token they are still exact numbers, also in Lua. */
export const TOKEN_RANGE = 2 ** (8 * LENGTH)
/** So many tokens are computed at once. */
const AT_ONCE = 4096

/**
 * A number for each position of the log that only nodes of this portal can compute. A node that publishes a position adds its token
 * to a sum in Redis. Only the right sum proves that everything up to a position was published, so Redis can keep it without being
 * trusted.
 */
export class PositionTokens {
  /** Each block is encrypted independently of the others, so one cipher serves all calls. */
  readonly #cipher: ReturnType<typeof createCipheriv>

  constructor(secret: Secret, portal: string) {
    const key = createHmac('sha256', secret.key('positions in the log')).update(portal).digest().subarray(0, BLOCK)
    this.#cipher = createCipheriv('aes-128-ecb', key, null).setAutoPadding(false)
  }

  of(positions: readonly number[]): number[] {
    const blocks = Buffer.alloc(positions.length * BLOCK)
    for (const [index, position] of positions.entries()) blocks.writeBigUInt64BE(BigInt(position), index * BLOCK)
    const encrypted = this.#cipher.update(blocks)
    return positions.map((_, index) => encrypted.readUIntBE(index * BLOCK, LENGTH))
  }

  /** A sum with the tokens of all positions after one and up to another. */
  add(sum: number, after: number, upTo: number): number {
    let total = sum
    for (let from = after + 1; from <= upTo; from += AT_ONCE) {
      const count = Math.min(AT_ONCE, upTo - from + 1)
      for (const token of this.of(Array.from({ length: count }, (_, index) => from + index))) {
        total = (total + token) % TOKEN_RANGE
      }
    }
    return total
  }
}
