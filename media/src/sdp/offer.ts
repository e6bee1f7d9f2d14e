import type { TransportDescription } from '../transport/transport.ts'
import type { Msid } from './description.ts'
import { VIEWER_EXTENSIONS, writeExtensions } from './extensions.ts'
import type { ViewerCodec } from './viewer-codec.ts'
import { formatsOf, toText, writeCandidates, writeCodec, writeSession, writeTransport } from './write-section.ts'

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
  /** The viewer has rejected it: it keeps its place, with port 0 and outside of the bundle. */
  readonly isRejected?: boolean
}

export interface OfferInput {
  readonly local: TransportDescription
  /** Without `a=`: `candidate:1 1 udp …`. */
  readonly candidates: readonly string[]
  readonly sections: readonly OfferedSection[]
  /** Rises with every offer on one connection. */
  readonly version: number
}

/** The mid of the data section, which is always the first. */
export const DATA_MID = '0'

const PROTOCOL = 'UDP/TLS/RTP/SAVPF'

/** Always holds the data section, so that a connection without tracks comes up. */
export function writeOffer({ local, candidates, sections, version }: OfferInput): string {
  const transport = writeTransport(local, 'actpass')
  return toText([
    ...writeSession(version, [DATA_MID, ...sections.flatMap(({ mid, isRejected }) => (isRejected ? [] : [mid]))]),
    'm=application 9 UDP/DTLS/SCTP webrtc-datachannel',
    'c=IN IP4 0.0.0.0',
    `a=mid:${DATA_MID}`,
    ...transport,
    ...writeCandidates(candidates),
    'a=sctp-port:5000',
    'a=max-message-size:262144',
    ...sections.flatMap((section) => (section.isRejected ? writeRejected(section) : writeTrack(section, transport))),
  ])
}

function writeRejected({ mid, kind }: OfferedSection): string[] {
  return [
    `m=${kind} 0 ${PROTOCOL} ${UNUSED[kind].payloadType}`,
    'c=IN IP4 0.0.0.0',
    `a=mid:${mid}`,
    'a=inactive',
    ...UNUSED[kind].lines,
  ]
}

function writeTrack({ mid, kind, track }: OfferedSection, transport: readonly string[]): string[] {
  return [
    `m=${kind} 9 ${PROTOCOL} ${track ? formatsOf(track) : UNUSED[kind].payloadType}`,
    'c=IN IP4 0.0.0.0',
    `a=mid:${mid}`,
    ...transport,
    track ? 'a=sendonly' : 'a=inactive',
    'a=rtcp-mux',
    'a=rtcp-rsize',
    ...(track ? writeExtensions(VIEWER_EXTENSIONS) : []),
    ...(track ? writeCodec(track) : UNUSED[kind].lines),
    ...(track ? writeSource(track) : []),
  ]
}

/** The cname ties the tracks of one stream together, for lip sync. */
function writeSource({ msid, ssrc, repairSsrc }: OfferedTrack): string[] {
  return [
    `a=msid:${msid.stream} ${msid.track}`,
    ...(repairSsrc === null ? [] : [`a=ssrc-group:FID ${ssrc} ${repairSsrc}`]),
    ...[ssrc, ...(repairSsrc === null ? [] : [repairSsrc])].flatMap((number) => [
      `a=ssrc:${number} cname:${msid.stream}`,
      `a=ssrc:${number} msid:${msid.stream} ${msid.track}`,
    ]),
  ]
}

/** An inactive section must still name a codec. */
const UNUSED = {
  audio: { payloadType: 111, lines: ['a=rtpmap:111 opus/48000/2', 'a=fmtp:111 minptime=10;useinbandfec=1'] },
  video: { payloadType: 96, lines: ['a=rtpmap:96 VP8/90000'] },
}
