import type { IncomingPacket } from './incoming-packet.ts'

/** Which temporal layers a viewer gets. Decided for whole pictures, and so that each can be decoded. */
export class TemporalChoice {
  #highest = Infinity
  #picture: number | null = null

  /** A layer begins with this keyframe. `target` is the highest temporal layer that the viewer should get. */
  begin({ timestamp }: IncomingPacket, target: number): void {
    this.#picture = timestamp
    this.#highest = target
  }

  /** Whether the packet belongs to another picture than the one before. */
  isNext({ timestamp }: IncomingPacket): boolean {
    return timestamp !== this.#picture
  }

  /** The next picture begins. Down is always possible; up where a layer refers to nothing but those below. */
  next({ timestamp, vp8, isEntryPoint }: IncomingPacket, target: number): void {
    this.#picture = timestamp
    const temporal = vp8?.temporalLayer ?? null
    if (target < this.#highest || isEntryPoint) this.#highest = target
    else if (temporal === this.#highest + 1 && temporal <= target && vp8?.isTemporalSync) this.#highest = temporal
  }

  takes({ vp8 }: IncomingPacket): boolean {
    return (vp8?.temporalLayer ?? 0) <= this.#highest
  }
}
