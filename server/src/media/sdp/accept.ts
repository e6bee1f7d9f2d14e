import type { Codec, Msid, Section } from './description.ts'

/** The ids of the header extensions that were negotiated. */
export interface ExtensionIds {
  readonly mid?: number
  readonly rid?: number
  readonly repairedRid?: number
  readonly audioLevel?: number
  readonly absSendTime?: number
  readonly transportCc?: number
}

/** What we agreed to receive in a section of a publisher's offer. */
export interface AcceptedSection {
  readonly mid: string
  readonly kind: 'audio' | 'video'
  readonly codec: Codec
  /** The payload type of retransmissions (RTX). */
  readonly repairPayloadType: number | null
  readonly extensions: ExtensionIds
  readonly ssrcs: readonly number[]
  readonly repairSsrcs: ReadonlyMap<number, number>
  /** From the lowest layer to the highest; empty without simulcast. */
  readonly rids: readonly string[]
  readonly msid: Msid | null
}

export interface CodecPreferences {
  /** From the most preferred on; default VP8, then H.264. The first that the offer contains is taken. */
  readonly video?: readonly string[]
}

/** Null if we receive nothing there: recvonly, rejected, a data section, or no codec that we forward. */
export function acceptSection(_section: Section, _preferences: CodecPreferences = {}): AcceptedSection | null {
  return null
}
