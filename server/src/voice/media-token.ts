import { LIMITS } from '@portico/contract'
import type { Secret } from '../secrets/secret.ts'
import type { MediaSession } from './media.ts'

/** What signs media tokens, as LiveKit names it. */
export interface MediaKey {
  readonly apiKey: string
  readonly apiSecret: string
}

/** The key of the portal's own tokens, where no LiveKit server sets one. */
export function ownMediaKey(secret: Secret): MediaKey {
  return { apiKey: 'portico', apiSecret: secret.key('media tokens').toString('base64url') }
}

/** A LiveKit token for one room and one identity. */
export async function mintMediaToken(
  { apiKey, apiSecret }: MediaKey,
  { roomId, identity, name, canPublish }: MediaSession,
): Promise<string> {
  const { SignJWT } = await import('jose')
  const video = { room: roomId, roomJoin: true, canPublish, canSubscribe: true, canPublishData: canPublish }
  return new SignJWT({ name, video })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer(apiKey)
    .setSubject(identity)
    .setNotBefore('0s')
    .setExpirationTime(`${LIMITS.voiceTokenLife}s`)
    .sign(Buffer.from(apiSecret))
}
