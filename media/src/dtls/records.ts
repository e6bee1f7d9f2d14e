import { createCipheriv, createDecipheriv } from 'node:crypto'

export const CHANGE_CIPHER_SPEC = 20
export const ALERT = 21
export const HANDSHAKE = 22
export const APPLICATION_DATA = 23

export const DTLS_1_0 = 0xfeff
export const DTLS_1_2 = 0xfefd

const HEADER_SIZE = 13
const EXPLICIT_NONCE_SIZE = 8
const TAG_SIZE = 16
/** A browser packs at most a flight, which is six records. */
const MAX_RECORDS_PER_DATAGRAM = 32

/** What a record carries, before it is sealed or after it was opened. */
export interface Content {
  readonly type: number
  readonly epoch: number
  readonly bytes: Buffer
}

/** A record as it arrived; from epoch 1 on its bytes are encrypted. */
export interface DtlsRecord extends Content {
  readonly version: number
  readonly sequence: number
}

export interface RecordKeys {
  readonly key: Buffer
  readonly salt: Buffer
}

/** The records of a datagram, as views of it. What follows a damaged one is left out. */
export function readRecords(datagram: Buffer): DtlsRecord[] {
  const records: DtlsRecord[] = []
  let at = 0
  while (at + HEADER_SIZE <= datagram.length && records.length < MAX_RECORDS_PER_DATAGRAM) {
    const start = at + HEADER_SIZE
    const end = start + datagram.readUInt16BE(at + 11)
    if (end > datagram.length) break
    records.push({
      type: datagram.readUInt8(at),
      version: datagram.readUInt16BE(at + 1),
      epoch: datagram.readUInt16BE(at + 3),
      sequence: datagram.readUIntBE(at + 5, 6),
      bytes: datagram.subarray(start, end),
    })
    at = end
  }
  return records
}

/** A record in the clear, or around what `sealRecord` has encrypted. */
export function writeRecord({ type, epoch, bytes }: Content, sequence: number): Buffer {
  const record = Buffer.allocUnsafe(HEADER_SIZE + bytes.length)
  writeHeader(record, { type, epoch, sequence, length: bytes.length })
  bytes.copy(record, HEADER_SIZE)
  return record
}

/** An encrypted record (RFC 5288). A sequence number must never be used twice with the same keys. */
export function sealRecord(keys: RecordKeys, content: Content, sequence: number): Buffer {
  const explicitNonce = Buffer.allocUnsafe(EXPLICIT_NONCE_SIZE)
  explicitNonce.writeUInt16BE(content.epoch, 0)
  explicitNonce.writeUIntBE(sequence, 2, 6)
  const cipher = createCipheriv('aes-128-gcm', keys.key, Buffer.concat([keys.salt, explicitNonce]))
  cipher.setAAD(additionalData({ ...content, sequence, length: content.bytes.length }))
  const encrypted = Buffer.concat([explicitNonce, cipher.update(content.bytes), cipher.final(), cipher.getAuthTag()])
  return writeRecord({ ...content, bytes: encrypted }, sequence)
}

/** The content of an encrypted record, undefined if it is not authentic. */
export function openRecord(keys: RecordKeys, record: DtlsRecord): Buffer | undefined {
  const { bytes } = record
  const length = bytes.length - EXPLICIT_NONCE_SIZE - TAG_SIZE
  if (length < 0) return undefined
  const nonce = Buffer.concat([keys.salt, bytes.subarray(0, EXPLICIT_NONCE_SIZE)])
  const decipher = createDecipheriv('aes-128-gcm', keys.key, nonce, { authTagLength: TAG_SIZE })
  decipher.setAAD(additionalData({ ...record, length }))
  decipher.setAuthTag(bytes.subarray(bytes.length - TAG_SIZE))
  const content = decipher.update(bytes.subarray(EXPLICIT_NONCE_SIZE, EXPLICIT_NONCE_SIZE + length))
  try {
    decipher.final()
  } catch {
    return undefined
  }
  return content
}

interface Header {
  readonly type: number
  readonly epoch: number
  readonly sequence: number
  readonly length: number
}

function writeHeader(record: Buffer, { type, epoch, sequence, length }: Header): void {
  record.writeUInt8(type, 0)
  record.writeUInt16BE(DTLS_1_2, 1)
  record.writeUInt16BE(epoch, 3)
  record.writeUIntBE(sequence, 5, 6)
  record.writeUInt16BE(length, 11)
}

/** What GCM authenticates without encrypting it: the header, in another order, with the length of the plain text. */
function additionalData({ type, epoch, sequence, length }: Header): Buffer {
  const data = Buffer.allocUnsafe(HEADER_SIZE)
  data.writeUInt16BE(epoch, 0)
  data.writeUIntBE(sequence, 2, 6)
  data.writeUInt8(type, 8)
  data.writeUInt16BE(DTLS_1_2, 9)
  data.writeUInt16BE(length, 11)
  return data
}
