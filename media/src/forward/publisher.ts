import type { AcceptedSection } from '../sdp/accept.ts'
import type { PublishedTrack, PublishedTrackOptions } from './published-track.ts'

export interface PublisherOptions {
  /** The bit rate that is announced to the publisher by REMB. What exceeds twice of it is dropped. */
  readonly maxBitrate?: number
}

/** The packets of one publisher's connection, sorted to its tracks by ssrc, mid and rid. */
export interface Publisher {
  /** Packets flow as soon as the section was accepted. Publishing a mid again replaces what was negotiated for it. */
  publish(section: AcceptedSection, options?: PublishedTrackOptions): PublishedTrack
  /** Milliseconds, from the publisher's reports; null while unknown. */
  readonly roundTripTime: number | null
  /** Closes its tracks. The transport stays open. */
  close(): void
}
