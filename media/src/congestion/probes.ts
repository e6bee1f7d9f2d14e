/** How long (ms) a probe sends, and how long its packets may take after that. */
export const PROBE_DURATION = 25
const PATIENCE = 2000
/** Of its packets, this share has to arrive for a result. */
const ENOUGH = 0.7
const MIN_PACKETS = 8
/** How much faster than planned a probe may have been sent, by timers that were late. */
const HASTE = 1.1

interface Probe {
  readonly id: number
  readonly bitrate: number
  readonly startedAt: number
  bytes: number
  packets: number
  firstSent: number
  lastSent: number
  /** Without those of the burst that it began with. */
  bytesAfterFirst: number
  arrived: number
  /** Sums over what has arrived, of the time of sending, the delay, and their products: for the line that fits best. */
  time: number
  delay: number
  timeTime: number
  timeDelay: number
  /** Subtracted from delays, because clocks differ. */
  delayBefore: number
}

export interface ProbeResult {
  /** What was tried, and what arrived of it; null if too few packets did. */
  readonly tried: number
  readonly bitrate: number | null
}

/**
 * Sends more than needed for a moment, and measures how much later each packet arrives than the one before: whether the link carries
 * more. Over a line through all of them, because single packets say little where there is jitter.
 */
export class Probes {
  #probe: Probe | null = null
  #ids = 0

  /** 0 while none is sent. */
  activeAt(now: number): number {
    const probe = this.#probe
    return probe && now - probe.startedAt < PROBE_DURATION ? probe.id : 0
  }

  get isUnderWay(): boolean {
    return this.#probe !== null
  }

  start(bitrate: number, now: number): void {
    this.#ids = (this.#ids % 255) + 1
    this.#probe = {
      id: this.#ids,
      bitrate,
      startedAt: now,
      bytes: 0,
      packets: 0,
      firstSent: now,
      lastSent: now,
      bytesAfterFirst: 0,
      arrived: 0,
      time: 0,
      delay: 0,
      timeTime: 0,
      timeDelay: 0,
      delayBefore: 0,
    }
  }

  /** How many bytes are due now. */
  due(now: number): number {
    const probe = this.#probe
    if (!probe || this.activeAt(now) === 0) return 0
    // The first burst is one of several.
    const elapsed = now - probe.startedAt + PROBE_DURATION / 5
    return (probe.bitrate * elapsed) / 8000 - probe.bytes
  }

  sent(size: number, now: number): void {
    const probe = this.#probe
    if (!probe) return
    if (probe.packets === 0) probe.firstSent = now
    probe.packets += 1
    probe.bytes += size
    if (now > probe.firstSent) probe.bytesAfterFirst += size
    probe.lastSent = now
  }

  arrived(id: number, sentAt: number, arrival: number): void {
    const probe = this.#probe
    if (!probe || probe.id !== id) return
    if (probe.arrived === 0) probe.delayBefore = arrival - sentAt
    const time = sentAt - probe.firstSent
    const delay = arrival - sentAt - probe.delayBefore
    probe.arrived += 1
    probe.time += time
    probe.delay += delay
    probe.timeTime += time * time
    probe.timeDelay += time * delay
  }

  /** The result, once: when enough has arrived, or no more will. */
  take(now: number): ProbeResult | null {
    const probe = this.#probe
    if (!probe || this.activeAt(now) !== 0) return null
    const isComplete = probe.arrived >= probe.packets * ENOUGH
    if (!isComplete && now - probe.startedAt < PATIENCE) return null
    this.#probe = null
    const sending = probe.lastSent - probe.firstSent
    const isMeasured = isComplete && probe.packets >= MIN_PACKETS && sending > 0
    if (!isMeasured) return { tried: probe.bitrate, bitrate: null }
    const sent = Math.min(probe.bitrate * HASTE, (probe.bytesAfterFirst * 8000) / sending)
    return { tried: probe.bitrate, bitrate: sent / (1 + Math.max(0, delayGrowth(probe))) }
  }

  drop(): void {
    this.#probe = null
  }
}

/** Milliseconds of delay per millisecond of sending. */
function delayGrowth({ arrived, time, delay, timeTime, timeDelay }: Probe): number {
  const spread = timeTime - (time * time) / arrived
  return spread > 0 ? (timeDelay - (time * delay) / arrived) / spread : 0
}
