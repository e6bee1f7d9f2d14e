import type { LocalDescription } from '../transport.ts'
import type { Msid } from './description.ts'
import type { ViewerCodec } from './viewer-codec.ts'

/** A track that is sent to a viewer in a section of its own. */
export interface OfferedTrack extends ViewerCodec {
  readonly kind: 'audio' | 'video'
  /** `PA_owner|TR_track TR_track`; tracks with the same stream are kept in sync by the browser. */
  readonly msid: Msid
  readonly ssrc: number
  readonly repairSsrc: number | null
}

/** A section without a track is inactive. */
export interface OfferedSection {
  readonly mid: string
  readonly kind: 'audio' | 'video'
  readonly track: OfferedTrack | null
}

export interface OfferInput {
  readonly local: LocalDescription
  /** Without `a=`: `candidate:1 1 udp …`. */
  readonly candidates: readonly string[]
  readonly sections: readonly OfferedSection[]
  /** Rises with every offer on one connection. */
  readonly version: number
}

/** Always holds the data section (mid `0`), so that a connection without tracks comes up. */
export function writeOffer(_input: OfferInput): string {
  return ''
}
