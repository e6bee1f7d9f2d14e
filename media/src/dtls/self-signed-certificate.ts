import { randomBytes, sign, type KeyPairKeyObjectResult } from 'node:crypto'
import { isIP } from 'node:net'
import { addressBytes } from '../packet/ip-address.ts'

interface Content {
  /** A P-256 key pair. */
  readonly keys: KeyPairKeyObjectResult
  /** In milliseconds since 1970, before 2050. */
  readonly from: number
  readonly until: number
  /** The host names and addresses that a web server with this certificate may have. */
  readonly names?: readonly string[]
}

const SEQUENCE = 0x30
const SET = 0x31
const INTEGER = 0x02
const BIT_STRING = 0x03
const OCTET_STRING = 0x04
const UTF8_STRING = 0x0c
const UTC_TIME = 0x17
const EXPLICIT_VERSION = 0xa0
const EXPLICIT_EXTENSIONS = 0xa3
const DNS_NAME = 0x82
const IP_ADDRESS = 0x87

const ECDSA_WITH_SHA256 = Buffer.from('300a06082a8648ce3d040302', 'hex')
const COMMON_NAME = Buffer.from('0603550403', 'hex')
const SUBJECT_ALT_NAME = Buffer.from('0603551d11', 'hex')
/** Not an authority, signs handshakes, belongs to a server. */
const OF_WEB_SERVER = [
  '300c0603551d130101ff04023000',
  '300e0603551d0f0101ff040403020780',
  '30130603551d25040c300a06082b06010505070301',
]

/** A certificate that is signed with its own key, in DER. */
export function selfSignedCertificate({ keys, from, until, names }: Content): Buffer {
  const { publicKey, privateKey } = keys
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
    element(SEQUENCE, utcTime(from), utcTime(until)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    ...(names ? [extensions(names)] : []),
  )
  const signature = sign('sha256', body, { key: privateKey, dsaEncoding: 'der' })
  return element(SEQUENCE, body, ECDSA_WITH_SHA256, element(BIT_STRING, Buffer.of(0), signature))
}

function extensions(names: readonly string[]): Buffer {
  const alternatives = element(SEQUENCE, ...names.map(alternativeName))
  return element(
    EXPLICIT_EXTENSIONS,
    element(
      SEQUENCE,
      ...OF_WEB_SERVER.map((hex) => Buffer.from(hex, 'hex')),
      element(SEQUENCE, SUBJECT_ALT_NAME, element(OCTET_STRING, alternatives)),
    ),
  )
}

function alternativeName(name: string): Buffer {
  if (isIP(name) === 0) return element(DNS_NAME, Buffer.from(name, 'ascii'))
  return element(IP_ADDRESS, addressBytes(name))
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
