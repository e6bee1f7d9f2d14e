import type { IceCredentials } from '../ice/stun.ts'
import type { AcceptedSection } from './accept.ts'
import { toText, writeCandidates } from './write-section.ts'

const UFRAG = /^a=ice-ufrag:([A-Za-z0-9+/]{4,256})\s*$/m
const PWD = /^a=ice-pwd:([A-Za-z0-9+/]{22,256})\s*$/m

/** The ICE credentials of a fragment (RFC 8840); null if it has none. Never throws. */
export function readIceFragment(fragment: string): IceCredentials | null {
  const [ufrag, pwd] = [UFRAG.exec(fragment)?.[1], PWD.exec(fragment)?.[1]]
  return ufrag !== undefined && pwd !== undefined ? { ufrag, pwd } : null
}

/** Our credentials and candidates as a fragment, in a section that all others are bundled with. */
export function writeIceFragment(
  { kind, mid, codec }: AcceptedSection,
  { ufrag, pwd }: IceCredentials,
  candidates: readonly string[],
): string {
  return toText([
    'a=ice-lite',
    `m=${kind} 9 UDP/TLS/RTP/SAVPF ${codec.payloadType}`,
    `a=mid:${mid}`,
    `a=ice-ufrag:${ufrag}`,
    `a=ice-pwd:${pwd}`,
    ...writeCandidates(candidates),
  ])
}
