import { createCipheriv, createDecipheriv } from 'node:crypto'
import { uint, xorUInt32 } from '../packet/bytes.ts'
import type { DirectionKeys } from './derive.ts'
import { ENCRYPTED, readEncryptedIndex, RTCP_HEADER_SIZE, type PacketCipher } from './packet-cipher.ts'

const TAG_SIZE = 16
const INDEX_SIZE = 4

/** AEAD_AES_128_GCM (RFC 7714). */
export function createGcmCipher({ rtp, rtcp }: DirectionKeys): PacketCipher {
  return {
    sealRtp(header, payload, rollOvers) {
      const cipher = createCipheriv('aes-128-gcm', rtp.key, rtpNonce(rtp.salt, header, rollOvers))
      cipher.setAAD(header)
      const encrypted = cipher.update(payload)
      cipher.final()
      return Buffer.concat([header, encrypted, cipher.getAuthTag()])
    },
    openRtp(packet, headerSize, rollOvers) {
      const tagAt = packet.length - TAG_SIZE
      if (tagAt < headerSize) return undefined
      const header = packet.subarray(0, headerSize)
      const nonce = rtpNonce(rtp.salt, packet, rollOvers)
      return open(rtp.key, nonce, {
        header,
        aad: header,
        body: packet.subarray(headerSize, tagAt),
        tag: packet.subarray(tagAt),
      })
    },
    sealRtcp(compound, index) {
      const word = uint(INDEX_SIZE, index + ENCRYPTED)
      const header = compound.subarray(0, RTCP_HEADER_SIZE)
      const cipher = createCipheriv('aes-128-gcm', rtcp.key, rtcpNonce(rtcp.salt, compound, index))
      cipher.setAAD(Buffer.concat([header, word]))
      const encrypted = cipher.update(compound.subarray(RTCP_HEADER_SIZE))
      cipher.final()
      return Buffer.concat([header, encrypted, cipher.getAuthTag(), word])
    },
    openRtcp(packet) {
      const wordAt = packet.length - INDEX_SIZE
      const tagAt = wordAt - TAG_SIZE
      const index = this.rtcpIndex(packet)
      if (index === undefined) return undefined
      const header = packet.subarray(0, RTCP_HEADER_SIZE)
      return open(rtcp.key, rtcpNonce(rtcp.salt, packet, index), {
        header,
        aad: Buffer.concat([header, packet.subarray(wordAt)]),
        body: packet.subarray(RTCP_HEADER_SIZE, tagAt),
        tag: packet.subarray(tagAt, wordAt),
      })
    },
    rtcpIndex(packet) {
      if (packet.length < RTCP_HEADER_SIZE + TAG_SIZE + INDEX_SIZE) return undefined
      return readEncryptedIndex(packet, packet.length - INDEX_SIZE)
    },
  }
}

interface Sealed {
  readonly header: Buffer
  readonly aad: Buffer
  readonly body: Buffer
  readonly tag: Buffer
}

function open(key: Buffer, nonce: Buffer, { header, aad, body, tag }: Sealed): Buffer | undefined {
  const decipher = createDecipheriv('aes-128-gcm', key, nonce, { authTagLength: TAG_SIZE })
  decipher.setAAD(aad)
  decipher.setAuthTag(tag)
  const plain = decipher.update(body)
  try {
    decipher.final()
  } catch {
    return undefined
  }
  return Buffer.concat([header, plain])
}

/** Two zeros, the ssrc, the roll-over counter and the sequence number, hidden by the salt. */
function rtpNonce(salt: Buffer, packet: Buffer, rollOvers: number): Buffer {
  const nonce = Buffer.from(salt)
  xorUInt32(nonce, 2, packet.readUInt32BE(8))
  xorUInt32(nonce, 6, rollOvers)
  nonce[10]! ^= packet[2]!
  nonce[11]! ^= packet[3]!
  return nonce
}

/** Two zeros, the ssrc of the sender, two zeros and the index, hidden by the salt. */
function rtcpNonce(salt: Buffer, packet: Buffer, index: number): Buffer {
  const nonce = Buffer.from(salt)
  xorUInt32(nonce, 2, packet.readUInt32BE(4))
  xorUInt32(nonce, 8, index)
  return nonce
}
