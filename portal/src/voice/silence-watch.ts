/** In milliseconds: for how long someone may speak without arriving, and how long that becomes if connecting again doesn't help. */
const FIRST_PATIENCE = 1500
const LONGEST_PATIENCE = 60_000
/** In milliseconds. A page that was suspended knows nothing about the time between. */
const LONGEST_STEP = 1000

/** The sound of someone who is speaking now, as the media server says. */
export interface Flow {
  readonly trackId: string
  /** All that has arrived of it. */
  readonly bytes: number
}

/** Notices that nothing arrives of someone whose sound the media server receives. */
export class SilenceWatch {
  #patience = FIRST_PATIENCE
  #lookedAt = -Infinity
  readonly #flows = new Map<string, { readonly bytes: number; readonly silentFor: number }>()

  /** Forgets what arrived on an earlier connection. */
  begin(): void {
    this.#flows.clear()
  }

  /**
   * Takes the sound of everyone who is speaking now. Returns whether the connection is broken. Without news of who speaks,
   * they may have stopped, or the whole network may be gone: then only sound counts of which nothing has ever arrived.
   */
  isBroken(flows: readonly Flow[], hasNews: boolean, now = performance.now()): boolean {
    const elapsed = Math.min(now - this.#lookedAt, LONGEST_STEP)
    this.#lookedAt = now
    for (const { trackId, bytes } of flows) {
      if (!hasNews && bytes > 0) continue
      const known = this.#flows.get(trackId)
      if (known && known.bytes !== bytes) this.#patience = FIRST_PATIENCE
      this.#flows.set(trackId, { bytes, silentFor: known?.bytes === bytes ? known.silentFor + elapsed : 0 })
      if (known?.bytes !== bytes || known.silentFor + elapsed < this.#patience) continue
      this.#patience = Math.min(this.#patience * 4, LONGEST_PATIENCE)
      return true
    }
    return false
  }
}
