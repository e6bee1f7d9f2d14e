import type { AcceptedSection } from '../sdp/accept.ts'
import type { PublishedTrack, PublishedTrackOptions } from './published-track.ts'

export interface PublisherOptions {
  /** The bit rate that the publisher may send at most, announced by REMB. */
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
