import type { Transport } from '../transport.ts'
import type { Publisher, PublisherOptions } from './publisher.ts'
import type { Viewer } from './viewer.ts'

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
  /** Not negotiated, malformed or duplicate. */
  dropped: number
  keyframeRequests: number
}

/** The packet plane: one timer for all publishers and viewers of a process. */
export interface Forwarder {
  readonly counters: Readonly<ForwardCounters>
  /** Takes over `onRtp` and `onRtcp` of the transport. */
  addPublisher(transport: Transport, options?: PublisherOptions): Publisher
  /** Takes over `onRtcp` of the transport. */
  addViewer(transport: Transport): Viewer
  /** What the timer does: reports, NACKs, keyframe requests and layer choices that are due. */
  tick(): void
  close(): void
}

export interface ForwarderOptions {
  /** Milliseconds, monotonic. With a clock of their own, callers also call `tick` themselves. */
  readonly now?: () => number
}

export function createForwarder(_options: ForwarderOptions = {}): Forwarder {
  throw new Error('not written yet')
}
