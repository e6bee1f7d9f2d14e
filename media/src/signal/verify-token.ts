import type { JWTPayload } from 'jose'

/** Longer ones are not ours. */
const LONGEST = 4096
const LONGEST_NAME = 256

/** What signs tokens, as LiveKit names it. */
export interface TokenKey {
  readonly apiKey: string
  readonly apiSecret: string
}

/** What a media token allows: one room, as one identity. */
export interface Grant {
  readonly roomId: string
  readonly identity: string
  readonly name: string
  readonly canPublish: boolean
  readonly canSubscribe: boolean
}

/** Undefined for a token that is malformed, expired, not yet valid, signed with another key, or not for joining a room. */
export async function verifyToken(token: string, { apiKey, apiSecret }: TokenKey): Promise<Grant | undefined> {
  if (token === '' || token.length > LONGEST) return undefined
  const { jwtVerify } = await import('jose')
  try {
    const { payload } = await jwtVerify(token, Buffer.from(apiSecret), {
      algorithms: ['HS256'],
      issuer: apiKey,
      requiredClaims: ['sub', 'nbf', 'exp'],
    })
    return grantOf(payload)
  } catch {
    return undefined
  }
}

function grantOf({ sub: identity, name = '', video }: JWTPayload & { name?: unknown; video?: unknown }) {
  if (typeof video !== 'object' || video === null) return undefined
  const { roomJoin, room: roomId, canPublish, canSubscribe } = video as Readonly<Record<string, unknown>>
  if (roomJoin !== true || !isName(roomId) || !isName(identity) || typeof name !== 'string') return undefined
  return { roomId, identity, name, canPublish: canPublish === true, canSubscribe: canSubscribe === true }
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= LONGEST_NAME
}
