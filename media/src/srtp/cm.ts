import { createCipheriv, createHmac, timingSafeEqual } from 'node:crypto'
import { uint, xorUInt32 } from '../packet/bytes.ts'
import type { DirectionKeys, SessionKeys } from './derive.ts'
import { ENCRYPTED, readEncryptedIndex, RTCP_HEADER_SIZE, type PacketCipher } from './packet-cipher.ts'

const TAG_SIZE = 10
const INDEX_SIZE = 4

/** AES_CM_128_HMAC_SHA1_80 (RFC 3711). */
export function createCmCipher({ rtp, rtcp }: DirectionKeys): PacketCipher {
  return {
    sealRtp(header, payload, rollOvers) {
      const encrypted = crypt(rtp, rtpCounter(rtp.salt, header, rollOvers), payload)
      return Buffer.concat([header, encrypted, tagOf(rtp, header, encrypted, uint(4, rollOvers))])
    },
    openRtp(packet, headerSize, rollOvers) {
      const tagAt = packet.length - TAG_SIZE
      if (tagAt < headerSize) return undefined
      const sealed = packet.subarray(0, tagAt)
      if (!timingSafeEqual(tagOf(rtp, sealed, uint(4, rollOvers)), packet.subarray(tagAt))) return undefined
      const counter = rtpCounter(rtp.salt, packet, rollOvers)
      return Buffer.concat([packet.subarray(0, headerSize), crypt(rtp, counter, sealed.subarray(headerSize))])
    },
    sealRtcp(compound, index) {
      const header = compound.subarray(0, RTCP_HEADER_SIZE)
      const counter = rtcpCounter(rtcp.salt, compound, index)
      const encrypted = crypt(rtcp, counter, compound.subarray(RTCP_HEADER_SIZE))
      const word = uint(INDEX_SIZE, index + ENCRYPTED)
      return Buffer.concat([header, encrypted, word, tagOf(rtcp, header, encrypted, word)])
    },
    openRtcp(packet) {
      const tagAt = packet.length - TAG_SIZE
      const wordAt = tagAt - INDEX_SIZE
      const index = this.rtcpIndex(packet)
      if (index === undefined) return undefined
      if (!timingSafeEqual(tagOf(rtcp, packet.subarray(0, tagAt)), packet.subarray(tagAt))) return undefined
      const counter = rtcpCounter(rtcp.salt, packet, index)
      const plain = crypt(rtcp, counter, packet.subarray(RTCP_HEADER_SIZE, wordAt))
      return Buffer.concat([packet.subarray(0, RTCP_HEADER_SIZE), plain])
    },
    rtcpIndex(packet) {
      if (packet.length < RTCP_HEADER_SIZE + INDEX_SIZE + TAG_SIZE) return undefined
      return readEncryptedIndex(packet, packet.length - TAG_SIZE - INDEX_SIZE)
    },
  }
}

/** Encrypts or decrypts, which is the same in counter mode. */
function crypt({ key }: SessionKeys, counter: Buffer, bytes: Buffer): Buffer {
  return createCipheriv('aes-128-ctr', key, counter).update(bytes)
}

function tagOf({ authentication }: SessionKeys, ...parts: readonly Buffer[]): Buffer {
  const hmac = createHmac('sha1', authentication)
  for (const part of parts) hmac.update(part)
  return hmac.digest().subarray(0, TAG_SIZE)
}

/** The ssrc, the roll-over counter and the sequence number, hidden by the salt; two zeros count the blocks. */
function rtpCounter(salt: Buffer, packet: Buffer, rollOvers: number): Buffer {
  const counter = startOf(salt, packet.readUInt32BE(8))
  xorUInt32(counter, 8, rollOvers)
  counter[12]! ^= packet[2]!
  counter[13]! ^= packet[3]!
  return counter
}

function rtcpCounter(salt: Buffer, packet: Buffer, index: number): Buffer {
  const counter = startOf(salt, packet.readUInt32BE(4))
  xorUInt32(counter, 10, index)
  return counter
}

function startOf(salt: Buffer, ssrc: number): Buffer {
  const counter = Buffer.alloc(16)
  salt.copy(counter)
  xorUInt32(counter, 4, ssrc)
  return counter
}
