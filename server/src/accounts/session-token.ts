import { createHash, randomBytes } from 'node:crypto'

export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** Tokens are long and random, so a plain hash is enough to make a stolen table useless. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
