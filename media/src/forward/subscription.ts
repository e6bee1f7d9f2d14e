import type { ViewerCodec } from '../sdp/viewer-codec.ts'
import type { PublishedTrack } from './published-track.ts'

export interface SendStatistics {
  readonly packets: number
  readonly bytes: number
  /** What the viewer reported as lost, 0 to 1. */
  readonly fractionLost: number
  /** Bits per second over the last second. */
  readonly bitrate: number
  /** The layer that is forwarded now; -1 for none. */
  readonly layer: number
}

/** What a viewer shows of a track. */
export type ViewerTarget =
  | { readonly width: number; readonly height: number }
  /** 0 is the lowest. */
  | { readonly maxLayer: number }

/** What the viewer has accepted of that which is offered with a track. */
export interface AcceptedExtras {
  /** Retransmissions on a stream of their own (RTX); default: true. */
  readonly withRepair?: boolean
  /** Sound that repeats earlier sound (RED); default: false. */
  readonly withRedundancy?: boolean
  /** The viewer says when packets arrive (transport-wide feedback), and needs their numbers for that; default: false. */
  readonly withArrivals?: boolean
}

/** One track on its way to one viewer. Sequence numbers and timestamps are continuous, whatever happens upstream. */
export interface Subscription extends ViewerCodec {
  readonly track: PublishedTrack
  readonly ssrc: number
  /** Of retransmissions; null for audio. */
  readonly repairSsrc: number | null
  /** The viewer has answered the offer that contains this track: forward, video from a keyframe on. */
  start(accepted?: AcceptedExtras): void
  setPaused(isPaused: boolean): void
  /** Default: the highest layer. */
  setTarget(target: ViewerTarget): void
  readonly statistics: SendStatistics
  /** Whether not even the lowest quality fits the viewer's bandwidth, so that next to nothing is sent. */
  readonly isStarved: boolean
  readonly isClosed: boolean
  close(): void
}
