export type Direction = 'sendrecv' | 'sendonly' | 'recvonly' | 'inactive'
export type SectionKind = 'audio' | 'video' | 'application'

/** One payload type of a section, with the attributes that belong to it. */
export interface Codec {
  readonly payloadType: number
  /** Lower case, such as `audio/opus`, `video/vp8`, `video/rtx`. */
  readonly mime: string
  readonly clockRate: number
  /** 1 where the SDP names none. */
  readonly channels: number
  /** The parameters of `a=fmtp`, keys in lower case; a parameter without a value has an empty one. */
  readonly parameters: ReadonlyMap<string, string>
  /** The values of `a=rtcp-fb`, such as `nack pli`. */
  readonly feedback: readonly string[]
}

export interface HeaderExtension {
  readonly id: number
  readonly uri: string
}

export interface Msid {
  readonly stream: string
  readonly track: string
}

/** One `m=` section. */
export interface Section {
  /** Empty only in a rejected section that names none. */
  readonly mid: string
  readonly kind: SectionKind
  /** As written, such as `UDP/TLS/RTP/SAVPF`. */
  readonly protocol: string
  /** The formats of the `m=` line, as written. */
  readonly formats: readonly string[]
  readonly direction: Direction
  /** Port 0 without `bundle-only`: the section is refused or no longer used. */
  readonly isRejected: boolean
  readonly codecs: readonly Codec[]
  readonly extensions: readonly HeaderExtension[]
  /** Of the media itself: one, or one for each layer from the lowest on; with rids in any order, and maybe none. */
  readonly ssrcs: readonly number[]
  /** The ssrc of the retransmissions (FID) of each media ssrc. */
  readonly repairSsrcs: ReadonlyMap<number, number>
  readonly msid: Msid | null
  /** The layers that the peer offers to send, from the lowest to the highest; empty without simulcast. */
  readonly rids: readonly string[]
}

/** The part of an SDP that matters here. All sections share one transport. */
export interface Description {
  readonly ufrag: string
  readonly pwd: string
  /** Such as `sha-256 AA:BB…`, the hash in lower case and the digits in upper case. */
  readonly fingerprint: string
  readonly setup: 'active' | 'passive' | 'actpass'
  readonly isIceLite: boolean
  /** The mids of the BUNDLE group. */
  readonly bundle: readonly string[]
  readonly sections: readonly Section[]
}

/** Why an SDP was not accepted. */
export type SdpProblem =
  | 'too-large'
  | 'not-sdp'
  | 'too-many-sections'
  | 'duplicate-mid'
  | 'not-bundled'
  | 'no-ice-credentials'
  | 'no-fingerprint'

export type ReadDescription =
  | { readonly ok: true; readonly description: Description }
  | { readonly ok: false; readonly problem: SdpProblem }
