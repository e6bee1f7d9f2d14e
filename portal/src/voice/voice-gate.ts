/** Milliseconds that it stays open after the last loud moment: the pauses between words. */
const HOLD_MS = 400

/** Decides from the loudness whether someone is talking. */
export class VoiceGate {
  readonly #threshold: number
  #loudAt = -Infinity

  constructor(threshold: number) {
    this.#threshold = threshold
  }

  /** Whether it is open after a reading in decibels. */
  hear(decibels: number, now: number = performance.now()): boolean {
    if (decibels >= this.#threshold) this.#loudAt = now
    return now - this.#loudAt <= HOLD_MS
  }
}
