import type { AcceptedSection } from '../sdp/accept.ts'

export interface PublishedTrackOptions {
  /** End-to-end encrypted: payloads are passed on as they are. */
  readonly isEncrypted?: boolean
  readonly isMuted?: boolean
  /** Repeat sound for viewers who take it; default true. Impossible with end-to-end encryption. */
  readonly withRedundancy?: boolean
  /** The picture's size in each layer, in the order of `rids`; decides which layer a viewer gets for the size they show. */
  readonly sizes?: readonly { readonly width: number; readonly height: number }[]
  /** The highest layer that any viewer shows has changed; -1 if nobody shows the track. For dynacast. */
  readonly onDemand?: (highestLayer: number) => void
}

export interface AudioLevel {
  /** 0 (silence) to 1 (loudest), over the packets since the last call that are loud enough to be voice. */
  readonly level: number
  /** The share of such packets, 0 to 1. */
  readonly voiced: number
  readonly packets: number
}

export interface TrackStatistics {
  readonly packets: number
  readonly bytes: number
  /** Not recovered by retransmission. */
  readonly lost: number
  /** Of the packets since the last report. */
  readonly fractionLost: number
  /** Milliseconds. */
  readonly jitter: number
  /** Bits per second over the last second, all layers together. */
  readonly bitrate: number
}

/** A track that someone publishes. Viewers subscribe to it. */
export interface PublishedTrack {
  readonly section: AcceptedSection
  readonly kind: 'audio' | 'video'
  /** A muted track forwards nothing, whatever its publisher sends. */
  setMuted(isMuted: boolean): void
  readonly isMuted: boolean
  setSizes(sizes: NonNullable<PublishedTrackOptions['sizes']>): void
  /** Passed on to the publisher at most once per 500 ms and layer. */
  requestKeyframe(): void
  /** The level since the last call; null without packets or without the header extension. Resets the window. */
  takeAudioLevel(): AudioLevel | null
  /** The highest layer that any viewer shows; -1 if nobody shows the track. */
  readonly demand: number
  readonly statistics: TrackStatistics
  /** Ends its subscriptions too. */
  close(): void
}
