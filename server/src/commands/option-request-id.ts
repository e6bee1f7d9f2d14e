import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Secret } from '../secrets/secret.ts'

/** What a bot was asked. It is stored nowhere: its id says it, and that it comes from this portal. */
export interface OptionRequest {
  readonly channelId: string
  /** Who writes the option. */
  readonly userId: string
  /** By the clock of the database, in milliseconds. */
  readonly at: number
}

const ID_LENGTH = 16
const TIME_LENGTH = 6
/** Tells requests of the same millisecond apart. */
const RANDOM_LENGTH = 6
const MAC_LENGTH = 16

export function optionRequestId(secret: Secret, botId: string, { channelId, userId, at }: OptionRequest): string {
  const time = Buffer.alloc(TIME_LENGTH)
  time.writeUIntBE(Math.floor(at), 0, TIME_LENGTH)
  const content = Buffer.concat([bytesOf(channelId), bytesOf(userId), time, randomBytes(RANDOM_LENGTH)])
  return Buffer.concat([content, macOf(secret, botId, content)]).toString('base64url')
}

/** Undefined if this bot wasn't asked. */
export function readOptionRequest(secret: Secret, botId: string, requestId: string): OptionRequest | undefined {
  const bytes = Buffer.from(requestId, 'base64url')
  const content = bytes.subarray(0, -MAC_LENGTH)
  if (bytes.length !== 2 * ID_LENGTH + TIME_LENGTH + RANDOM_LENGTH + MAC_LENGTH) return undefined
  if (!timingSafeEqual(bytes.subarray(-MAC_LENGTH), macOf(secret, botId, content))) return undefined
  return {
    channelId: uuidOf(content.subarray(0, ID_LENGTH)),
    userId: uuidOf(content.subarray(ID_LENGTH, 2 * ID_LENGTH)),
    at: content.readUIntBE(2 * ID_LENGTH, TIME_LENGTH),
  }
}

function macOf(secret: Secret, botId: string, content: Buffer): Buffer {
  const mac = createHmac('sha256', secret.key('requests for suggestions')).update(bytesOf(botId)).update(content)
  return mac.digest().subarray(0, MAC_LENGTH)
}

function bytesOf(uuid: string): Buffer {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex')
}

function uuidOf(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
