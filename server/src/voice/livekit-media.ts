import { ParticipantInfo_State, RoomServiceClient } from 'livekit-server-sdk'
import { askLivekit } from './ask-livekit.ts'
import { isLive } from './is-live.ts'
import type { LivekitConfig } from './livekit-config.ts'
import { LivekitReports } from './livekit-reports.ts'
import type { Connection, LivekitServer } from './media.ts'
import { mintMediaToken } from './media-token.ts'

/** The request timeout of the media server in seconds. */
const PATIENCE = 5

/** Issues tokens for a LiveKit server and sends it commands. */
export function livekitMedia(config: LivekitConfig): LivekitServer {
  const { LIVEKIT_URL: url, LIVEKIT_API_KEY: apiKey, LIVEKIT_API_SECRET: apiSecret } = config
  const server = new RoomServiceClient(url.replace(/^ws/, 'http'), apiKey, apiSecret, { requestTimeout: PATIENCE })
  const reports = new LivekitReports(
    apiKey,
    apiSecret,
    async (roomId, identity) => (await server.getParticipant(roomId, identity).catch(unlessAbsent)) ?? undefined,
  )

  const remove = async (roomId: string, identity: string): Promise<void> => {
    await server.removeParticipant(roomId, identity).catch(unlessAbsent)
  }
  return {
    kind: 'livekit',
    url,
    pageUrl: url,
    status: async () => ({ state: await askLivekit(config) }),
    mint: (session) => mintMediaToken({ apiKey, apiSecret }, session),
    connections: () => connectionsOf(server),
    reports,
    remove,
    // Permissions are replaced as a whole: absent ones are revoked, which silences the track immediately.
    mute: async ({ roomId, identity, canPublish }) => {
      const permission = { canPublish, canSubscribe: true, canPublishData: canPublish }
      await server.updateParticipant(roomId, identity, { permission }).catch(unlessAbsent)
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
