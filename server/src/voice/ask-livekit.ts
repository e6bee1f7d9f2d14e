import { RoomServiceClient } from 'livekit-server-sdk'
import type { Config } from '../config/config.ts'
import type { MediaState } from './media.ts'

/** In seconds. */
const PATIENCE = 3

type LivekitSettings = Pick<Config, 'LIVEKIT_URL' | 'LIVEKIT_API_KEY' | 'LIVEKIT_API_SECRET'>

/** Sends the media server a request that requires the API key. */
export async function askLivekit(config: LivekitSettings): Promise<MediaState> {
  const { LIVEKIT_URL, LIVEKIT_API_KEY, LIVEKIT_API_SECRET } = config
  if (LIVEKIT_URL === null || LIVEKIT_API_KEY === null || LIVEKIT_API_SECRET === null) return 'off'
  const address = LIVEKIT_URL.replace(/^ws/, 'http')
  const server = new RoomServiceClient(address, LIVEKIT_API_KEY, LIVEKIT_API_SECRET, {
    requestTimeout: PATIENCE,
    failover: false,
  })
  try {
    await server.listRooms(['none'])
    return 'ready'
  } catch (error) {
    const status = error instanceof Error && 'status' in error ? error.status : undefined
    return status === 401 || status === 403 ? 'refused' : 'unreachable'
  }
}
