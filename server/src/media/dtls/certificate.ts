import { generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto'
import { fingerprintOf } from './fingerprint.ts'

/** The certificate that our side shows in DTLS. */
export interface Certificate {
  readonly der: Buffer
  readonly privateKey: KeyObject
  /** Such as `sha-256 AA:BB…`, as SDP carries it. */
  readonly fingerprint: string
}

const SEQUENCE = 0x30
const SET = 0x31
const INTEGER = 0x02
const BIT_STRING = 0x03
const UTF8_STRING = 0x0c
const UTC_TIME = 0x17
const EXPLICIT_VERSION = 0xa0

const ECDSA_WITH_SHA256 = Buffer.from('300a06082a8648ce3d040302', 'hex')
const COMMON_NAME = Buffer.from('0603550403', 'hex')
const DAY_MS = 86_400_000

/** Creates a self-signed certificate with a P-256 key. Peers trust it by the fingerprint in the SDP, never by its names or dates. */
export function createCertificate(now = Date.now()): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const name = element(
    SEQUENCE,
    element(SET, element(SEQUENCE, COMMON_NAME, element(UTF8_STRING, Buffer.from('Portico')))),
  )
  // The first byte keeps the number positive and without a leading zero.
  const serial = Buffer.concat([Buffer.of(0x40), randomBytes(15)])
  const body = element(
    SEQUENCE,
    element(EXPLICIT_VERSION, element(INTEGER, Buffer.of(2))),
    element(INTEGER, serial),
    ECDSA_WITH_SHA256,
    name,
    element(SEQUENCE, utcTime(now - DAY_MS), utcTime(now + 3650 * DAY_MS)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
  )
  const signature = sign('sha256', body, { key: privateKey, dsaEncoding: 'der' })
  const der = element(SEQUENCE, body, ECDSA_WITH_SHA256, element(BIT_STRING, Buffer.of(0), signature))
  return { der, privateKey, fingerprint: fingerprintOf(der) }
}

/** One DER element of less than 64 KB. */
function element(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  let size = [length]
  if (length > 0xff) size = [0x82, length >> 8, length & 0xff]
  else if (length > 0x7f) size = [0x81, length]
  return Buffer.concat([Buffer.of(tag, ...size), content])
}

function utcTime(time: number): Buffer {
  const digits = new Date(time).toISOString().replaceAll(/[-:T]/g, '').slice(2, 14)
  return element(UTC_TIME, Buffer.from(`${digits}Z`))
}
