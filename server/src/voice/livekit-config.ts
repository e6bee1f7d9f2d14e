import type { Config } from '../config/config.ts'

/** The settings of a LiveKit server, all present. */
export interface LivekitConfig {
  readonly LIVEKIT_URL: string
  readonly LIVEKIT_API_KEY: string
  readonly LIVEKIT_API_SECRET: string
}

/** Undefined if no LiveKit server is configured. */
export function livekitConfig({ LIVEKIT_URL, LIVEKIT_API_KEY, LIVEKIT_API_SECRET }: Config): LivekitConfig | undefined {
  if (LIVEKIT_URL === null || LIVEKIT_API_KEY === null || LIVEKIT_API_SECRET === null) return undefined
  return { LIVEKIT_URL, LIVEKIT_API_KEY, LIVEKIT_API_SECRET }
}
