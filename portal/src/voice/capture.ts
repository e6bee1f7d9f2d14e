import { devices } from './devices.svelte.ts'
import { voiceSettings } from './voice-settings.svelte.ts'

/** What ends with a captured stream. */
const behind = new WeakMap<MediaStream, () => void>()

/** The chosen microphone, as in a voice room. */
export async function captureMicrophone(): Promise<MediaStream> {
  const { noiseSuppression, speechFilter } = voiceSettings.current
  const stream = await navigator.mediaDevices.getUserMedia({
    audio: { ...ideal('audioinput'), noiseSuppression, echoCancellation: true, autoGainControl: true },
  })
  void devices.refresh()
  return speechFilter ? filtered(stream) : stream
}

/** The stream itself if the browser can't filter it. */
async function filtered(stream: MediaStream): Promise<MediaStream> {
  const [microphone] = stream.getAudioTracks()
  if (!microphone) return stream
  try {
    const { filterSpeech } = await import('./speech-filter.ts')
    const { track, stop } = await filterSpeech(microphone)
    const speech = new MediaStream([track])
    behind.set(speech, () => {
      void stop()
      release(stream)
    })
    return speech
  } catch {
    return stream
  }
}

/** The chosen camera. */
export async function captureCamera(): Promise<MediaStream> {
  const stream = await navigator.mediaDevices.getUserMedia({ video: { ...ideal('videoinput'), aspectRatio: 16 / 9 } })
  void devices.refresh()
  return stream
}

export function release(stream: MediaStream | undefined): void {
  for (const track of stream?.getTracks() ?? []) track.stop()
  if (stream) behind.get(stream)?.()
}

function ideal(kind: 'audioinput' | 'videoinput'): MediaTrackConstraints {
  const id = devices.inUse(kind)
  return id === '' ? {} : { deviceId: { ideal: id } }
}

/** The sound of what is shared as it is: not cleaned like speech, and without the people of the room, who would hear an echo. */
export const SCREEN_SOUND = {
  echoCancellation: false,
  noiseSuppression: false,
  autoGainControl: false,
  restrictOwnAudio: true,
}

/** A screen, window or tab that the browser lets the person choose, with its sound where there is any. */
export function captureScreen(): Promise<MediaStream> {
  return navigator.mediaDevices.getDisplayMedia({ video: true, audio: SCREEN_SOUND })
}
