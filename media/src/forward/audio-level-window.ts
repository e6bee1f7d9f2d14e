import type { RtpAudioLevel } from '../rtp/audio-level.ts'
import type { AudioLevel } from './published-track.ts'

/** Packets that are louder count as voice, whether the sender detects voice or not. */
const VOICE = 35

/** Collects the levels of packets until someone asks. */
export class AudioLevelWindow {
  #packets = 0
  #voiced = 0
  #sum = 0

  add(level: RtpAudioLevel | null): void {
    if (!level) return
    this.#packets += 1
    if (level.decibelsBelow > VOICE) return
    this.#voiced += 1
    this.#sum += 10 ** (-level.decibelsBelow / 20)
  }

  /** Null without packets. */
  take(): AudioLevel | null {
    if (this.#packets === 0) return null
    const level = this.#voiced > 0 ? this.#sum / this.#voiced : 0
    const taken = { level, voiced: this.#voiced / this.#packets, packets: this.#packets }
    this.#packets = 0
    this.#voiced = 0
    this.#sum = 0
    return taken
  }
}
