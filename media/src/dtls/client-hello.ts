import { readBytes, uint, vector } from '../packet/bytes.ts'
import { HANDSHAKE_FAILURE, HandshakeError, PROTOCOL_VERSION } from './alert.ts'
import {
  EC_POINT_FORMATS,
  EXTENDED_MASTER_SECRET,
  list16,
  readExtensions,
  RENEGOTIATION_INFO,
  SIGNATURE_ALGORITHMS,
  SUPPORTED_GROUPS,
  uint16s,
  USE_SRTP,
  writeExtension,
} from './extensions.ts'
import { P_256, X25519 } from './key-share.ts'
import { DTLS_1_2 } from './records.ts'

export const ECDHE_ECDSA_AES128_GCM_SHA256 = 0xc02b
export const ECDSA_P256_SHA256 = 0x0403

export const AEAD_AES_128_GCM = 0x0007
export const AES128_CM_HMAC_SHA1_80 = 0x0001
export type SrtpProfile = typeof AEAD_AES_128_GCM | typeof AES128_CM_HMAC_SHA1_80

/** Stands for an empty renegotiation_info among the cipher suites. */
export const EMPTY_RENEGOTIATION_INFO = 0x00ff

export const PREFERRED_GROUPS = [X25519, P_256] as const
export const PREFERRED_PROFILES = [AEAD_AES_128_GCM, AES128_CM_HMAC_SHA1_80] as const

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

/** The ClientHello of our own, which offers what we accept from others. The cookie is what a server has asked to repeat. */
export function writeClientHello(clientRandom: Buffer, cookie: Buffer): Buffer {
  const noSession = vector(1)
  const noCompression = vector(1, Buffer.of(0))
  return Buffer.concat([
    uint(2, DTLS_1_2),
    clientRandom,
    noSession,
    vector(1, cookie),
    vector(2, uint(2, ECDHE_ECDSA_AES128_GCM_SHA256)),
    noCompression,
    vector(
      2,
      writeExtension(SUPPORTED_GROUPS, vector(2, ...PREFERRED_GROUPS.map((group) => uint(2, group)))),
      writeExtension(EC_POINT_FORMATS, vector(1, Buffer.of(0))),
      writeExtension(SIGNATURE_ALGORITHMS, vector(2, uint(2, ECDSA_P256_SHA256))),
      writeExtension(USE_SRTP, vector(2, ...PREFERRED_PROFILES.map((profile) => uint(2, profile))), vector(1)),
      writeExtension(EXTENDED_MASTER_SECRET),
      writeExtension(RENEGOTIATION_INFO, vector(1)),
    ),
  ])
}

function require(isThere: boolean, what: string): void {
  if (!isThere) throw new HandshakeError(HANDSHAKE_FAILURE, `the client does not offer ${what}`)
}

function preferred<Choice extends number>(ours: readonly Choice[], theirs: readonly number[], what: string): Choice {
  const choice = ours.find((each) => theirs.includes(each))
  if (choice === undefined) throw new HandshakeError(HANDSHAKE_FAILURE, `the client does not offer ${what}`)
  return choice
}
