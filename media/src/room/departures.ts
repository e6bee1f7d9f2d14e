import type { ParticipantInfo } from '@livekit/protocol'

/** In milliseconds; longer than a broken signaling connection can be resumed. */
const REMEMBERED = 60_000
const MOST = 200

/** Who left a room in the last minute, for those whose signaling was broken meanwhile. */
export class Departures {
  #left: { readonly info: ParticipantInfo; readonly at: number }[] = []

  add(info: ParticipantInfo): void {
    this.#left.push({ info, at: performance.now() })
    this.#forget()
  }

  recent(): ParticipantInfo[] {
    this.#forget()
    return this.#left.map(({ info }) => info)
  }

  #forget(): void {
    const since = performance.now() - REMEMBERED
    this.#left = this.#left.filter(({ at }) => at > since).slice(-MOST)
  }
}
