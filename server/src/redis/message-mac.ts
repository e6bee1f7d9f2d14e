import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Secret } from '../secrets/secret.ts'

/** In bytes: of HMAC-SHA-256, as RFC 2104 allows to truncate it. */
const LENGTH = 16
/** In characters of base64url. */
export const MAC_LENGTH = 22

/**
 * Says whether a message in Redis is from a node of this portal: only those have the secret. It doesn't hide the message, and
 * doesn't tell a message from its repetition.
 */
export class MessageMac {
  readonly #key: Buffer
  readonly #portal: string

  /** Messages of one portal, also before and after a restored backup, are not those of another. */
  constructor(secret: Secret, portal: string) {
    this.#key = secret.key('messages between nodes')
    this.#portal = portal
  }

  /** Of a message on a channel; it isn't valid on another one. */
  of(channel: string, message: string): string {
    return this.#digest(channel, message).toString('base64url')
  }

  isValid(channel: string, message: string, mac: string): boolean {
    const given = Buffer.from(mac, 'base64url')
    return given.length === LENGTH && timingSafeEqual(given, this.#digest(channel, message))
  }

  #digest(channel: string, message: string): Buffer {
    return createHmac('sha256', this.#key)
      .update(`${this.#portal}\n${channel}\n`)
      .update(message)
      .digest()
      .subarray(0, LENGTH)
  }
}
