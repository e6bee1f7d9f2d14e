import type { DtlsRole, TransportDescription } from '../transport/transport.ts'
import type { AcceptedSection } from './accept.ts'
import type { Codec, Description, Section } from './description.ts'
import { findExtensions, writeExtensions } from './extensions.ts'
import type { ViewerCodec } from './viewer-codec.ts'
import { formatsOf, toText, writeCandidates, writeCodec, writeSession, writeTransport } from './write-section.ts'

export interface AnswerInput {
  readonly offer: Description
  readonly local: TransportDescription
  readonly role: DtlsRole
  /** Without `a=`: `candidate:1 1 udp …`. */
  readonly candidates: readonly string[]
  /** By mid. Sections that are missing here are answered inactive, so that the others still come up. */
  readonly accepted: ReadonlyMap<string, AcceptedSection>
  /** Rises with every answer on one connection. */
  readonly version: number
}

export function writeAnswer({ offer, local, role, candidates, accepted, version }: AnswerInput): string {
  const inUse = offer.sections.filter(({ isRejected }) => !isRejected)
  const bundle = inUse.map(({ mid }) => mid)
  const lines = writeSession(version, bundle)
  for (const section of offer.sections) {
    if (section.isRejected) {
      lines.push(...writeRejected(section))
      continue
    }
    const transport = writeTransport(local, role === 'client' ? 'active' : 'passive')
    if (section === inUse[0]) transport.push(...writeCandidates(candidates))
    const taken = accepted.get(section.mid)
    if (section.kind === 'application') lines.push(...writeData(section, transport))
    else if (taken) lines.push(...writeAccepted(section, taken, transport))
    else lines.push(...writeInactive(section, transport))
  }
  return toText(lines)
}

function writeRejected({ kind, protocol, formats, mid }: Section): string[] {
  return [
    `m=${kind} 0 ${protocol} ${formats[0]}`,
    'c=IN IP4 0.0.0.0',
    ...(mid === '' ? [] : [`a=mid:${mid}`]),
    'a=inactive',
  ]
}

function writeData({ protocol, formats, mid }: Section, transport: readonly string[]): string[] {
  return [
    `m=application 9 ${protocol} ${formats[0]}`,
    'c=IN IP4 0.0.0.0',
    `a=mid:${mid}`,
    ...transport,
    'a=sctp-port:5000',
    'a=max-message-size:262144',
  ]
}

function writeAccepted(section: Section, taken: AcceptedSection, transport: readonly string[]): string[] {
  const { extensions, rids } = taken
  return [
    `m=${section.kind} 9 ${section.protocol} ${formatsOf(taken)}`,
    'c=IN IP4 0.0.0.0',
    `a=mid:${section.mid}`,
    ...transport,
    'a=recvonly',
    'a=rtcp-mux',
    'a=rtcp-rsize',
    ...writeExtensions(extensions),
    ...writeCodec(taken),
    ...rids.map((rid) => `a=rid:${rid} recv`),
    ...(rids.length > 0 ? [`a=simulcast:recv ${rids.join(';')}`] : []),
  ]
}

/**
 * Port 9 like the others: port 0 inside a bundle makes rtc-node refuse the whole answer. Header extensions stay: Chromium
 * repeats what was last negotiated, and refuses its own next offer if that has layers without the extension for them.
 */
function writeInactive(section: Section, transport: readonly string[]): string[] {
  const { kind, protocol, formats, mid, codecs, extensions } = section
  const codec = codecs.find(({ mime }) => mime !== 'audio/red')
  return [
    `m=${kind} 9 ${protocol} ${codec?.payloadType ?? formats[0]}`,
    'c=IN IP4 0.0.0.0',
    `a=mid:${mid}`,
    ...transport,
    'a=inactive',
    'a=rtcp-mux',
    'a=rtcp-rsize',
    ...writeExtensions(findExtensions(extensions, ['mid', 'rid', 'repairedRid', 'audioLevel', 'transportCc'])),
    ...(codec ? writeCodec(withoutParameters(codec)) : []),
  ]
}

function withoutParameters(codec: Codec): ViewerCodec {
  return {
    codec: { ...codec, feedback: [], parameters: new Map() },
    repairPayloadType: null,
    redundantPayloadType: null,
  }
}
