/** Totals since the start, for metrics. */
export interface ForwardCounters {
  packetsIn: number
  bytesIn: number
  packetsOut: number
  bytesOut: number
  /** Sent again because a viewer asked for it; part of `packetsOut`. */
  repeated: number
  /** Lost on the way to us, and not recovered. */
  lostIn: number
  /** Not negotiated or malformed. */
  dropped: number
  /** Dropped because their publisher sends more than it may. */
  overLimit: number
  keyframeRequests: number
}

/** Has packets that wait for their turn. */
export interface Paced {
  /** Sends what is due. Returns whether there will be more. */
  pace(now: number): boolean
}

/** What all publishers and viewers of a process share. */
export interface ForwardContext {
  /** Milliseconds, monotonic. */
  readonly now: () => number
  readonly counters: ForwardCounters
  /** To be called every few milliseconds, until it has nothing more to send. */
  readonly pace: (paced: Paced) => void
}

export function createCounters(): ForwardCounters {
  return {
    packetsIn: 0,
    bytesIn: 0,
    packetsOut: 0,
    bytesOut: 0,
    repeated: 0,
    lostIn: 0,
    dropped: 0,
    overLimit: 0,
    keyframeRequests: 0,
  }
}
