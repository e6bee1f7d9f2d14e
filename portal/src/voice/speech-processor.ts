import type { AudioProcessorOptions, Track, TrackProcessor } from 'livekit-client'
import { filterSpeech, type Filtered } from './speech-filter.ts'

/** Filters what the client library sends of the microphone. Whether it is silent stays the same when the filter comes or goes. */
export class SpeechProcessor implements TrackProcessor<Track.Kind.Audio, AudioProcessorOptions> {
  readonly name = 'speech'
  processedTrack?: MediaStreamTrack
  #microphone: MediaStreamTrack | undefined
  #filtered: Filtered | undefined

  async init({ track }: AudioProcessorOptions): Promise<void> {
    await this.#begin(track, track.enabled)
  }

  async restart({ track }: AudioProcessorOptions): Promise<void> {
    const isOn = this.processedTrack?.enabled ?? track.enabled
    await this.#filtered?.stop()
    await this.#begin(track, isOn)
  }

  async destroy(): Promise<void> {
    const filtered = this.#filtered
    this.#filtered = undefined
    delete this.processedTrack
    if (!filtered) return
    if (this.#microphone) this.#microphone.enabled = filtered.track.enabled
    await filtered.stop()
  }

  async #begin(microphone: MediaStreamTrack, isOn: boolean): Promise<void> {
    this.#microphone = microphone
    this.#filtered = await filterSpeech(microphone)
    this.processedTrack = this.#filtered.track
    this.processedTrack.enabled = isOn
  }
}
