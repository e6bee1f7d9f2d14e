import { watchPushKey } from './push-key.ts'
import { VoiceGate } from './voice-gate.ts'
import { voiceSettings } from './voice-settings.svelte.ts'
import { watchLevel } from './watch-level.ts'

let held = $state(false)
let stopLevel: (() => void) | undefined
let stopKey: (() => void) | undefined
let apply: (on: boolean) => void = () => undefined

/** When the microphone transmits, by the chosen mode. The media server isn't asked, so that no syllable is lost. */
export const transmission = {
  /** The key or the button is held. */
  get held(): boolean {
    return held
  },

  hold(next: boolean): void {
    held = next
    if (voiceSettings.current.inputMode === 'push') apply(next)
  },

  /** Begins with a microphone, or again after the mode or the microphone has changed. */
  begin(microphone: MediaStreamTrack, transmit: (on: boolean) => void): void {
    transmission.end()
    apply = transmit
    const { inputMode, threshold } = voiceSettings.current
    // With voice activation it begins open: if nothing can be measured, nobody is cut off.
    transmit(inputMode !== 'push')
    if (inputMode === 'push') stopKey = watchPushKey(() => voiceSettings.current.pushKey, transmission.hold)
    if (inputMode !== 'activity') return
    const gate = new VoiceGate(threshold)
    stopLevel = watchLevel(microphone, (decibels) => transmit(gate.hear(decibels)))
  },

  end(): void {
    stopLevel?.()
    stopKey?.()
    stopLevel = undefined
    stopKey = undefined
    apply = () => undefined
    held = false
  },
}
