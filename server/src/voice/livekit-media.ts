import { LIMITS } from '@portico/contract'
import { AccessToken, ParticipantInfo_State, RoomServiceClient } from 'livekit-server-sdk'
import type { Config } from '../config/config.ts'
import type { Secret } from '../secrets/secret.ts'
import { isLive } from './is-live.ts'
import { LivekitReports } from './livekit-reports.ts'
import type { Connection, Media, MediaSession } from './media.ts'

/** The request timeout of the media server in seconds. */
const PATIENCE = 5

/** Issues tokens for a LiveKit server and sends it commands. Without a server there is no one to remove or mute. */
export function livekitMedia(config: Config, secret: Secret): Media {
  const url = config.LIVEKIT_URL ?? config.PUBLIC_URL.replace(/^http/, 'ws')
  const apiKey = config.LIVEKIT_API_KEY ?? 'portico'
  const apiSecret = config.LIVEKIT_API_SECRET ?? secret.key('media tokens').toString('base64url')
  const server =
    config.LIVEKIT_URL === null
      ? undefined
      : new RoomServiceClient(url.replace(/^ws/, 'http'), apiKey, apiSecret, { requestTimeout: PATIENCE })

  const remove = async (roomId: string, identity: string): Promise<void> => {
    await server?.removeParticipant(roomId, identity).catch(unlessAbsent)
  }
  return {
    url,
    mint: ({ roomId, identity, name, canPublish }: MediaSession) => {
      const token = new AccessToken(apiKey, apiSecret, { identity, name, ttl: LIMITS.voiceTokenLife })
      token.addGrant({ room: roomId, roomJoin: true, canPublish, canSubscribe: true, canPublishData: canPublish })
      return token.toJwt()
    },
    ...(server && {
      connections: () => connectionsOf(server),
      reports: new LivekitReports(
        apiKey,
        apiSecret,
        async (roomId, identity) => (await server.getParticipant(roomId, identity).catch(unlessAbsent)) ?? undefined,
      ),
    }),
    remove,
    // Permissions are replaced as a whole: absent ones are revoked, which silences the track immediately.
    mute: async ({ roomId, identity, canPublish }) => {
      const permission = { canPublish, canSubscribe: true, canPublishData: canPublish }
      await server?.updateParticipant(roomId, identity, { permission }).catch(unlessAbsent)
    },
    // Their client joins the new room when it receives the event; open-source LiveKit can't move participants.
    move: (identity, fromRoomId) => remove(fromRoomId, identity),
  }
}

async function connectionsOf(server: RoomServiceClient): Promise<readonly Connection[]> {
  const rooms = await server.listRooms()
  const inside = await Promise.all(
    rooms.map(async ({ name: roomId }) => {
      // A room ends when the last participant leaves, which may be now.
      const participants = (await server.listParticipants(roomId).catch(unlessAbsent)) ?? []
      return participants.map((participant) => ({
        roomId,
        identity: participant.identity,
        hasMedia: participant.state === ParticipantInfo_State.ACTIVE,
        canPublish: participant.permission?.canPublish ?? false,
        isLive: isLive(participant),
      }))
    }),
  )
  return inside.flat()
}

/** Ignores participants who aren't connected. */
function unlessAbsent(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'not_found')) throw error
}
