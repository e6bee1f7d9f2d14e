import type { OfferedSection, OfferedTrack } from './offer.ts'

/**
 * The sections of one viewer connection. Their order and mids never change. A section whose track has gone is used again
 * for a track of the same kind, after the viewer has answered the offer in which it was inactive.
 */
export interface OfferedSections {
  /** Returns the mid. */
  add(track: OfferedTrack): string
  /** By `msid.track`. */
  remove(trackId: string): void
  /** What goes into the next offer. */
  list(): readonly OfferedSection[]
  /** For `midToTrackId` of the signalling. */
  trackIds(): Readonly<Record<string, string>>
  /** The viewer has answered the offer that was made of this list. */
  answered(offered: readonly OfferedSection[]): void
}

export function createOfferedSections(): OfferedSections {
  throw new Error('not written yet')
}
