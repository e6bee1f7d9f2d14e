import { createHmac, timingSafeEqual } from 'node:crypto'
import { newId } from '../operations/ids.ts'
import type { Secret } from '../secrets/secret.ts'

/** The claims of a token from `GET /events/token`. It is bound to the key of the request. */
export interface EventClaims {
  readonly tokenId: string
  readonly applicationId: string
  /** Identifies the key without revealing it. */
  readonly keyMark: string
  /** Seconds since 1970. */
  readonly expiresAt: number
}

/** Identifies a key in tokens: part of its stored hash. */
export function markKey(keyHash: Buffer): string {
  return keyHash.toString('base64url').slice(0, 16)
}

export function mintEventToken(secret: Secret, claims: Omit<EventClaims, 'tokenId'>): string {
  const { applicationId, keyMark, expiresAt } = claims
  const payload = Buffer.from(JSON.stringify([newId(), applicationId, keyMark, expiresAt])).toString('base64url')
  return `${payload}.${signature(secret, payload)}`
}

/** Undefined for a token with an invalid signature. The caller checks whether it has expired. */
export function readEventToken(secret: Secret, token: string): EventClaims | undefined {
  const [payload = '', given = '', ...rest] = token.split('.')
  const expected = Buffer.from(signature(secret, payload))
  const bytes = Buffer.from(given)
  if (rest.length > 0 || bytes.length !== expected.length || !timingSafeEqual(bytes, expected)) return undefined
  const [tokenId, applicationId, keyMark, expiresAt] = JSON.parse(Buffer.from(payload, 'base64url').toString()) as [
    string,
    string,
    string,
    number,
  ]
  return { tokenId, applicationId, keyMark, expiresAt }
}

function signature(secret: Secret, payload: string): string {
  return createHmac('sha256', secret.key('event tokens')).update(payload).digest('base64url')
}
