import { AEAD_AES_128_GCM } from '../dtls/client-hello.ts'
import type { SrtpKeys, SrtpMasterKey } from '../dtls/srtp-keys.ts'
import { createCmCipher } from './cm.ts'
import { deriveSessionKeys } from './derive.ts'
import { createGcmCipher } from './gcm.ts'
import { createIncomingStreams } from './incoming-streams.ts'
import { RTCP_HEADER_SIZE } from './packet-cipher.ts'
import { packetIndex, rollOversOf } from './packet-index.ts'
import { rtpHeaderSize } from './rtp-header-size.ts'

const LAST_RTCP_INDEX = 0x7fff_ffff

/** Both directions of one connection. What is not authentic, malformed or a replay opens to undefined. */
export interface SrtpSession {
  openRtp(packet: Buffer): Buffer | undefined
  openRtcp(packet: Buffer): Buffer | undefined
  /** Sequence numbers may arrive out of order, but a number may be sent again only with the same bytes. */
  sealRtp(header: Buffer, payload: Buffer): Buffer
  sealRtcp(compound: Buffer): Buffer
  /** A stream that is sent has ended. Its numbers are forgotten, so that its ssrc may never be used again. */
  forget(ssrc: number): void
}

/** `onExhausted` is called when the peer has used so many streams that it has to reconnect to use another. */
export function createSrtpSession(
  { profile, client, server }: SrtpKeys,
  side: 'client' | 'server',
  onExhausted: () => void = () => {},
): SrtpSession {
  const createCipher = (master: SrtpMasterKey) => {
    const keys = deriveSessionKeys(master)
    return profile === AEAD_AES_128_GCM ? createGcmCipher(keys) : createCmCipher(keys)
  }
  const incoming = createCipher(side === 'server' ? client : server)
  const outgoing = createCipher(side === 'server' ? server : client)
  const rtpStreams = createIncomingStreams()
  const rtcpStreams = createIncomingStreams()
  const sent = new Map<number, number>()
  let nextRtcpIndex = 0
  const exhausted = (): undefined => {
    onExhausted()
    return undefined
  }

  return {
    openRtp(packet) {
      const headerSize = rtpHeaderSize(packet)
      if (headerSize === undefined) return undefined
      const ssrc = packet.readUInt32BE(8)
      const window = rtpStreams.windowOf(ssrc)
      const index = packetIndex(packet.readUInt16BE(2), window.highest)
      if (window.has(index)) return undefined
      const plain = incoming.openRtp(packet, headerSize, rollOversOf(index))
      if (plain === undefined) return undefined
      window.add(index)
      return rtpStreams.keep(ssrc, window) ? plain : exhausted()
    },
    openRtcp(packet) {
      const index = incoming.rtcpIndex(packet)
      if (index === undefined) return undefined
      const ssrc = packet.readUInt32BE(4)
      const window = rtcpStreams.windowOf(ssrc)
      if (window.has(index)) return undefined
      const plain = incoming.openRtcp(packet)
      if (plain === undefined) return undefined
      window.add(index)
      return rtcpStreams.keep(ssrc, window) ? plain : exhausted()
    },
    sealRtp(header, payload) {
      const ssrc = header.readUInt32BE(8)
      const highest = sent.get(ssrc) ?? -1
      const index = packetIndex(header.readUInt16BE(2), highest)
      if (index > highest) sent.set(ssrc, index)
      return outgoing.sealRtp(header, payload, rollOversOf(index))
    },
    sealRtcp(compound) {
      if (compound.length < RTCP_HEADER_SIZE) throw new RangeError('an RTCP packet has at least 8 bytes')
      // After 2^31 packets, which take years, the keys would have to change.
      if (nextRtcpIndex > LAST_RTCP_INDEX) throw new RangeError('there are no RTCP indexes left')
      const index = nextRtcpIndex
      nextRtcpIndex += 1
      return outgoing.sealRtcp(compound, index)
    },
    forget: (ssrc) => void sent.delete(ssrc),
  }
}
