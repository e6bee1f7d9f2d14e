import { createHmac, timingSafeEqual } from 'node:crypto'
import { newId } from '../operations/ids.ts'
import type { WantedKinds } from '../events/wanted-kinds.ts'
import type { Secret } from '../secrets/secret.ts'

/** The claims of a token from `GET /events/token`. It is bound to the key of the request. */
export interface EventClaims {
  readonly tokenId: string
  readonly applicationId: string
  /** Identifies the key without revealing it. */
  readonly keyMark: string
  /** Seconds since 1970. */
  readonly expiresAt: number
  readonly kinds: WantedKinds
}

/** Identifies a key in tokens: part of its stored hash. */
export function markKey(keyHash: Buffer): string {
  return keyHash.toString('base64url').slice(0, 16)
}

type NewClaims = Omit<EventClaims, 'tokenId' | 'kinds'> & { readonly kinds?: WantedKinds }

export function mintEventToken(secret: Secret, claims: NewClaims): string {
  const { applicationId, keyMark, expiresAt, kinds = null } = claims
  const fields = [newId(), applicationId, keyMark, expiresAt, ...(kinds ? [kinds] : [])]
  const payload = Buffer.from(JSON.stringify(fields)).toString('base64url')
  return `${payload}.${signature(secret, payload)}`
}

/** Undefined for a token with an invalid signature. The caller checks whether it has expired. */
export function readEventToken(secret: Secret, token: string): EventClaims | undefined {
  const [payload = '', given = '', ...rest] = token.split('.')
  const expected = Buffer.from(signature(secret, payload))
  const bytes = Buffer.from(given)
  if (rest.length > 0 || bytes.length !== expected.length || !timingSafeEqual(bytes, expected)) return undefined
  const [tokenId, applicationId, keyMark, expiresAt, kinds = null] = JSON.parse(
    Buffer.from(payload, 'base64url').toString(),
  ) as [string, string, string, number, string[]?]
  return { tokenId, applicationId, keyMark, expiresAt, kinds }
}

function signature(secret: Secret, payload: string): string {
  return createHmac('sha256', secret.key('event tokens')).update(payload).digest('base64url')
}
