import { m } from '#paraglide/messages.js'
import type { MediaState } from './media-connection.svelte.ts'
import type { Quality } from './room-media.ts'

/** The state of the connection in a few words. */
export function stateText(state: MediaState, quality: Quality): string {
  if (state === 'connected' && quality === 'poor') return m.voice_state_poor()
  if (state === 'connected' && quality === 'lost') return m.voice_state_reconnecting()
  return {
    none: m.voice_state_none,
    connecting: m.voice_state_connecting,
    connected: m.voice_state_connected,
    reconnecting: m.voice_state_reconnecting,
    failed: m.voice_state_failed,
  }[state]()
}
