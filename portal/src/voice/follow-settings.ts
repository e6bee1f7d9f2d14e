import { m } from '#paraglide/messages.js'
import { showToast } from '#ui/toasts.svelte.ts'
import { devices } from './devices.svelte.ts'
import type { MediaControls } from './livekit-room.ts'
import { DEVICE_KINDS, voiceSettings, type DeviceKind, type VoiceSettings } from './voice-settings.svelte.ts'

/**
 * Applies changed settings, and devices that come and go, to the connection while there is one. `onInput` is called when
 * the microphone transmits by other rules. Returns a function that stops it.
 */
export function followSettings(connection: () => MediaControls | undefined, onInput: () => void): () => void {
  const use = (kind: DeviceKind): void => void attempt(connection()?.useDevice(kind))
  const adapt = (before: VoiceSettings): void => {
    const now = voiceSettings.current
    for (const kind of DEVICE_KINDS) if (now.devices[kind] !== before.devices[kind]) use(kind)
    if (now.noiseSuppression !== before.noiseSuppression) void attempt(connection()?.useNoiseSuppression())
    if (now.speechFilter !== before.speechFilter) void attempt(connection()?.useSpeechFilter())
    if (now.inputMode !== before.inputMode || now.threshold !== before.threshold) onInput()
  }
  const stops = [devices.watch(), devices.onChange(use), voiceSettings.onChange(adapt)]
  return () => {
    for (const stop of stops) stop()
  }
}

async function attempt(change: Promise<void> | undefined): Promise<void> {
  try {
    await change
  } catch {
    showToast(m.device_failed)
  }
}
