/**
 * Protects the packets of one direction. It has no memory: the caller counts roll-overs and indexes, never passes the same
 * pair of ssrc and index for two different packets, and drops replays.
 */
export interface PacketCipher {
  sealRtp(header: Buffer, payload: Buffer, rollOvers: number): Buffer
  /** The whole plain packet, undefined if it is not authentic. */
  openRtp(packet: Buffer, headerSize: number, rollOvers: number): Buffer | undefined
  sealRtcp(compound: Buffer, index: number): Buffer
  /** The plain compound packet, undefined if it is not authentic. */
  openRtcp(packet: Buffer): Buffer | undefined
  /** The index in a protected RTCP packet, undefined if it is too short or claims not to be encrypted. */
  rtcpIndex(packet: Buffer): number | undefined
}

/** The part of an RTCP packet that is never encrypted: header and ssrc of the sender. */
export const RTCP_HEADER_SIZE = 8
/** Set in the word with the index when the packet is encrypted. */
export const ENCRYPTED = 0x8000_0000

/** Reads the word with the index, undefined if the packet is not encrypted: we accept no other. */
export function readEncryptedIndex(packet: Buffer, at: number): number | undefined {
  const word = packet.readUInt32BE(at)
  return word >= ENCRYPTED ? word - ENCRYPTED : undefined
}
