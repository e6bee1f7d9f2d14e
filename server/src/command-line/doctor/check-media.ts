import type { Config } from '../../config/config.ts'
import { askLivekit } from '../../voice/ask-livekit.ts'
import { failure, ok, type Finding } from './finding.ts'

const MEDIA = 'Media'

/** Whether the media server responds and accepts the key. */
export async function checkMedia(config: Config): Promise<Finding> {
  const url = config.LIVEKIT_URL
  const state = await askLivekit(config)
  if (state === 'off' || url === null) return ok(MEDIA, 'none: voice rooms have no audio (LIVEKIT_URL is not set)')
  if (state === 'ready') return ok(MEDIA, `LiveKit answers at ${url} and accepts the key`)
  if (state === 'refused') {
    return failure(
      MEDIA,
      `LiveKit at ${url} refuses LIVEKIT_API_KEY or LIVEKIT_API_SECRET`,
      'Set both to a pair from the keys in its configuration.',
    )
  }
  return failure(
    MEDIA,
    `LiveKit does not respond at ${url}`,
    'Start it, or correct LIVEKIT_URL. This machine must reach the same address as browsers do.',
  )
}
