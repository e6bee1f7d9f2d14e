import { readRtp, type RtpPacket } from '../src/rtp/packet.ts'
import { readRtcp } from '../src/rtp/read-rtcp.ts'
import type { RtcpPacket } from '../src/rtp/rtcp.ts'
import type { Transport, TransportState } from '../src/transport/transport.ts'

/** A transport without a network: what is sent can be looked at, what is received is handed in. */
export interface MemoryTransport extends Transport {
  state: TransportState
  readonly rtp: RtpPacket[]
  /** The RTP packets as they were sent, header and payload. */
  readonly sent: Buffer[]
  readonly rtcp: RtcpPacket[]
  readonly forgotten: number[]
}

export function memoryTransport(): MemoryTransport {
  const rtp: RtpPacket[] = []
  const sent: Buffer[] = []
  const rtcp: RtcpPacket[] = []
  const forgotten: number[] = []
  return {
    rtp,
    sent,
    rtcp,
    forgotten,
    state: 'connected',
    local: { ufrag: 'abcd', pwd: 'abcdefghijklmnopqrstuv', fingerprint: `sha-256 ${'AB:'.repeat(31)}AB` },
    onRtp: () => {},
    onRtcp: () => {},
    onState: () => {},
    expect: () => {},
    sendRtp(header, payload) {
      const packet = Buffer.concat([header, payload])
      const read = readRtp(packet)
      if (!read) throw new Error('a malformed packet was sent')
      sent.push(packet)
      rtp.push(read)
    },
    sendRtcp: (compound) => void rtcp.push(...readRtcp(Buffer.from(compound)).map(withMissingList)),
    forget: (ssrc) => void forgotten.push(ssrc),
    restart: () => {},
    close: () => {},
  }
}

/** The numbers of a NACK can be iterated once; a list can be compared. */
export function withMissingList(packet: RtcpPacket): RtcpPacket {
  return packet.type === 'nack' ? { ...packet, missing: [...packet.missing] } : packet
}
