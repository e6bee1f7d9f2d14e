import { hash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

/**
 * Secrets are recognizable: a fixed prefix for scanners, random characters, and a checksum that tells a real one from a
 * look-alike without a request. `docs/bot-api.md` has the pattern.
 */
export const KEY_PREFIX = 'portico_bot_'
export const CLIENT_SECRET_PREFIX = 'portico_client_'
export const STREAM_KEY_PREFIX = 'portico_stream_'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const RANDOM_LENGTH = 40
const CHECKSUM_LENGTH = 6

/** The regular expression for secret scanners. */
export const KEY_PATTERN = patternOf(KEY_PREFIX)
export const CLIENT_SECRET_PATTERN = patternOf(CLIENT_SECRET_PREFIX)

function patternOf(prefix: string): string {
  return `${prefix}[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}`
}

export function newSecret(prefix: string): string {
  const random = Array.from({ length: RANDOM_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
  return prefix + random + checksum(prefix + random)
}

export function isWellFormedSecret(secret: string, prefix: string): boolean {
  if (!secret.startsWith(prefix) || secret.length !== prefix.length + RANDOM_LENGTH + CHECKSUM_LENGTH) return false
  return checksum(secret.slice(0, -CHECKSUM_LENGTH)) === secret.slice(-CHECKSUM_LENGTH)
}

/** Random secrets of this length need no slow hash: they can't be guessed. */
export function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer')
}

function checksum(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let position = 0; position < CHECKSUM_LENGTH; position += 1) {
    digits = (ALPHABET[rest % ALPHABET.length] ?? '') + digits
    rest = Math.floor(rest / ALPHABET.length)
  }
  return digits
}
