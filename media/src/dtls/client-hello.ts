import { MalformedPacket, readBytes } from '../packet/bytes.ts'
import { HANDSHAKE_FAILURE, HandshakeError, PROTOCOL_VERSION } from './alert.ts'
import { P_256, X25519 } from './key-share.ts'
import { DTLS_1_2 } from './records.ts'

export const ECDHE_ECDSA_AES128_GCM_SHA256 = 0xc02b
export const ECDSA_P256_SHA256 = 0x0403

export const AEAD_AES_128_GCM = 0x0007
export const AES128_CM_HMAC_SHA1_80 = 0x0001
export type SrtpProfile = typeof AEAD_AES_128_GCM | typeof AES128_CM_HMAC_SHA1_80

export const SUPPORTED_GROUPS = 10
export const EC_POINT_FORMATS = 11
export const SIGNATURE_ALGORITHMS = 13
export const USE_SRTP = 14
export const EXTENDED_MASTER_SECRET = 23
export const RENEGOTIATION_INFO = 0xff01

/** Stands for an empty renegotiation_info among the cipher suites. */
export const EMPTY_RENEGOTIATION_INFO = 0x00ff

const PREFERRED_GROUPS = [X25519, P_256] as const
const PREFERRED_PROFILES = [AEAD_AES_128_GCM, AES128_CM_HMAC_SHA1_80] as const

/** What a client and we agree on. */
export interface Agreement {
  readonly clientRandom: Buffer
  readonly group: (typeof PREFERRED_GROUPS)[number]
  readonly profile: SrtpProfile
  readonly namesPointFormats: boolean
  readonly asksForSafeRenegotiation: boolean
}

/** Agrees with a ClientHello. Throws `HandshakeError` if it lacks something that we require, `MalformedPacket` if it is damaged. */
export function readClientHello(body: Buffer): Agreement {
  const reader = readBytes(body)
  const version = reader.uint16()
  const clientRandom = Buffer.from(reader.bytes(32))
  reader.vector(1) // session id: sessions are not resumed
  reader.vector(1) // cookie: a STUN check has already proved the address
  const suites = uint16s(reader.vector(2))
  const compressions = reader.vector(1)
  const extensions = readExtensions(reader.left > 0 ? reader.vector(2) : Buffer.alloc(0))
  reader.end()

  // Newer versions have lower numbers; a DTLS 1.3 client names 1.2 here as well.
  if (version > DTLS_1_2 || version < 0xfe00)
    throw new HandshakeError(PROTOCOL_VERSION, 'the client wants another version')
  require(suites.includes(ECDHE_ECDSA_AES128_GCM_SHA256), 'the cipher suite')
  require(compressions.includes(0), 'no compression')
  require(extensions.has(EXTENDED_MASTER_SECRET), 'the extended master secret')
  require(list16(extensions.get(SIGNATURE_ALGORITHMS)).includes(ECDSA_P256_SHA256), 'ECDSA signatures')
  const pointFormats = extensions.get(EC_POINT_FORMATS)
  require(pointFormats === undefined || readBytes(pointFormats).vector(1).includes(0), 'uncompressed points')
  const renegotiation = extensions.get(RENEGOTIATION_INFO)
  require(renegotiation === undefined || renegotiation.equals(Buffer.of(0)), 'a first handshake')

  const groups = list16(extensions.get(SUPPORTED_GROUPS))
  const profiles = list16(extensions.get(USE_SRTP))
  return {
    clientRandom,
    group: preferred(PREFERRED_GROUPS, groups, 'X25519 or P-256'),
    profile: preferred(PREFERRED_PROFILES, profiles, 'an SRTP profile'),
    namesPointFormats: pointFormats !== undefined,
    asksForSafeRenegotiation: renegotiation !== undefined || suites.includes(EMPTY_RENEGOTIATION_INFO),
  }
}

function require(isThere: boolean, what: string): void {
  if (!isThere) throw new HandshakeError(HANDSHAKE_FAILURE, `the client does not offer ${what}`)
}

function preferred<Choice extends number>(ours: readonly Choice[], theirs: readonly number[], what: string): Choice {
  const choice = ours.find((each) => theirs.includes(each))
  if (choice === undefined) throw new HandshakeError(HANDSHAKE_FAILURE, `the client does not offer ${what}`)
  return choice
}

function readExtensions(bytes: Buffer): Map<number, Buffer> {
  const reader = readBytes(bytes)
  const extensions = new Map<number, Buffer>()
  while (reader.left > 0) {
    const type = reader.uint16()
    if (extensions.has(type)) throw new MalformedPacket('an extension is there twice')
    extensions.set(type, reader.vector(2))
  }
  return extensions
}

/** The numbers of an extension that begins with a list of them; none if it is missing. */
function list16(extension: Buffer | undefined): number[] {
  return extension === undefined ? [] : uint16s(readBytes(extension).vector(2))
}

function uint16s(bytes: Buffer): number[] {
  if (bytes.length % 2 !== 0) throw new MalformedPacket('a list ends within a number')
  return Array.from({ length: bytes.length / 2 }, (_, at) => bytes.readUInt16BE(at * 2))
}
