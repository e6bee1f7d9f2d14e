export interface BadNetwork {
  /** The share of lost packets, in each direction. */
  readonly loss: number
  readonly delayMs: number
  /** Each packet takes up to this much longer, so that some overtake others. */
  readonly jitterMs: number
  /** The n-th packet of a direction has the same fate in every run with this seed; by default nobody knows it. */
  readonly seed?: number
  /** The most that passes in a second; default: everything. */
  readonly bitrate?: number
  /** What would wait longer than this for its turn is lost; default: 300. */
  readonly queueMs?: number
}

const DEFAULT_QUEUE_MS = 300

/** Says for each packet of one direction how long it takes, in milliseconds; null if it is lost. */
export type NetworkDirection = (bytes: number, now: number) => number | null

export function createDirection(network: BadNetwork): NetworkDirection {
  const { loss, delayMs, jitterMs, seed, bitrate, queueMs = DEFAULT_QUEUE_MS } = network
  const random = seed === undefined ? Math.random : createRandom(seed)
  let freeAt = 0
  return (bytes, now) => {
    // Both are drawn for every packet, so that the fate of one doesn't depend on that of others.
    const [luck, lateness] = [random(), random()]
    if (luck < loss) return null
    let waited = 0
    if (bitrate !== undefined) {
      waited = Math.max(0, freeAt - now)
      if (waited > queueMs) return null
      waited += (bytes * 8000) / bitrate
      freeAt = now + waited
    }
    return waited + delayMs + lateness * jitterMs
  }
}

/** The way back of a network whose bit rate is limited in one direction only. */
export function createReturn({ loss, delayMs, jitterMs, seed }: BadNetwork): NetworkDirection {
  return createDirection({ loss, delayMs, jitterMs, ...(seed !== undefined && { seed: seed + 1 }) })
}

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
