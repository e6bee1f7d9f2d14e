import { PACKET_OVERHEAD } from './downlink.ts'

/** Milliseconds of its bit rate that a picture may save up, and needs to begin with. */
const [MOST, ENOUGH] = [2000, 1000]

/** For a picture that needs more than there is: as many of its pictures as fit, from a keyframe on. */
export class Skimming {
  #bytesPerMillisecond = 0
  #credit = 0
  #at: number

  constructor(now: number) {
    this.#at = now
  }

  /** Bits per second. */
  setBitrate(bitrate: number): void {
    this.#bytesPerMillisecond = bitrate / 8000
  }

  take(size: number): void {
    this.#credit -= size + PACKET_OVERHEAD
  }

  isExhausted(now: number): boolean {
    this.#save(now)
    return this.#credit < 0 || this.#bytesPerMillisecond === 0
  }

  /** Whether a keyframe may be sent that comes now. */
  mayBegin(now: number): boolean {
    this.#save(now)
    return this.#bytesPerMillisecond > 0 && this.#credit >= ENOUGH * this.#bytesPerMillisecond
  }

  /** Whether it is time to ask for a keyframe, which costs all viewers quality. */
  isRested(now: number): boolean {
    this.#save(now)
    return this.#bytesPerMillisecond > 0 && this.#credit >= MOST * this.#bytesPerMillisecond
  }

  #save(now: number): void {
    const saved = this.#credit + (now - this.#at) * this.#bytesPerMillisecond
    this.#credit = Math.min(saved, MOST * this.#bytesPerMillisecond)
    this.#at = now
  }
}
