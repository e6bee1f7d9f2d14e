// Runs on the audio thread, which browsers don't slow down in background tabs.

/** How many samples make up one reading: about 50 readings a second. */
const SAMPLES = 1024

declare class AudioWorkletProcessor {
  readonly port: MessagePort
}
declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void

/** Posts the loudness of its input in decibels below full scale. */
class LevelProcessor extends AudioWorkletProcessor {
  #sum = 0
  #count = 0

  process([input]: Float32Array[][]): boolean {
    const samples = input?.[0]
    if (!samples) return true
    for (const sample of samples) this.#sum += sample * sample
    this.#count += samples.length
    if (this.#count >= SAMPLES) {
      this.port.postMessage(10 * Math.log10(this.#sum / this.#count + 1e-10), [])
      this.#sum = 0
      this.#count = 0
    }
    return true
  }
}

registerProcessor('level', LevelProcessor)
