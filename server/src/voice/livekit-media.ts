import { LIMITS } from '@portico/contract'
import { AccessToken } from 'livekit-server-sdk'
import type { Config } from '../config.ts'
import type { Secret } from '../secret.ts'
import type { Media, MediaSession } from './media.ts'

/** Tokens for a LiveKit server. Until one is set up, nobody is connected to be removed, muted or moved. */
export function livekitMedia(config: Config, secret: Secret): Media {
  const url = config.LIVEKIT_URL ?? config.PUBLIC_URL.replace(/^http/, 'ws')
  const apiKey = config.LIVEKIT_API_KEY ?? 'portico'
  const apiSecret = config.LIVEKIT_API_SECRET ?? secret.key('media tokens').toString('base64url')
  const nobody = async (): Promise<void> => undefined

  return {
    url,
    mint: ({ roomId, identity, name, canPublish }: MediaSession) => {
      const token = new AccessToken(apiKey, apiSecret, { identity, name, ttl: LIMITS.voiceTokenLife })
      token.addGrant({ room: roomId, roomJoin: true, canPublish, canSubscribe: true, canPublishData: canPublish })
      return token.toJwt()
    },
    remove: nobody,
    mute: nobody,
    move: nobody,
  }
}
