import { readBytes } from '../packet/bytes.ts'
import {
  HANDSHAKE_FAILURE,
  HandshakeError,
  ILLEGAL_PARAMETER,
  PROTOCOL_VERSION,
  UNSUPPORTED_EXTENSION,
} from './alert.ts'
import { checkSignature } from './certificate-proof.ts'
import {
  ECDHE_ECDSA_AES128_GCM_SHA256,
  ECDSA_P256_SHA256,
  PREFERRED_GROUPS,
  PREFERRED_PROFILES,
} from './client-hello.ts'
import type { SrtpProfile } from './client-hello.ts'
import {
  EC_POINT_FORMATS,
  EXTENDED_MASTER_SECRET,
  list16,
  readExtensions,
  RENEGOTIATION_INFO,
  uint16s,
  USE_SRTP,
} from './extensions.ts'
import type { KeyObject } from 'node:crypto'
import type { Randoms } from './prf.ts'
import { DTLS_1_2 } from './records.ts'
import { ECDSA_SIGN, NAMED_CURVE } from './server-flight.ts'

export interface ServerChoice {
  readonly serverRandom: Buffer
  readonly profile: SrtpProfile
}

/** What servers may answer of our extensions. Any other would be one that we haven't offered. */
const ANSWERS: ReadonlySet<number> = new Set([EC_POINT_FORMATS, USE_SRTP, EXTENDED_MASTER_SECRET, RENEGOTIATION_INFO])

/** Agrees with a ServerHello. Throws `HandshakeError` if it chooses what we haven't offered or lacks what we require. */
export function readServerHello(body: Buffer): ServerChoice {
  const reader = readBytes(body)
  const version = reader.uint16()
  const serverRandom = Buffer.from(reader.bytes(32))
  reader.vector(1) // session id: sessions are not resumed
  const suite = reader.uint16()
  const compression = reader.uint8()
  const extensions = readExtensions(reader.left > 0 ? reader.vector(2) : Buffer.alloc(0))
  reader.end()

  if (version !== DTLS_1_2) throw new HandshakeError(PROTOCOL_VERSION, 'the server wants another version')
  if (suite !== ECDHE_ECDSA_AES128_GCM_SHA256 || compression !== 0)
    throw new HandshakeError(ILLEGAL_PARAMETER, 'the server chooses another cipher suite')
  for (const type of extensions.keys())
    if (!ANSWERS.has(type)) throw new HandshakeError(UNSUPPORTED_EXTENSION, `the server adds the extension ${type}`)
  require(extensions.has(EXTENDED_MASTER_SECRET), 'the extended master secret')
  const renegotiation = extensions.get(RENEGOTIATION_INFO)
  require(renegotiation === undefined || renegotiation.equals(Buffer.of(0)), 'a first handshake')
  const chosen = list16(extensions.get(USE_SRTP))
  const profile = PREFERRED_PROFILES.find((each) => chosen.length === 1 && chosen[0] === each)
  if (profile === undefined) throw new HandshakeError(HANDSHAKE_FAILURE, 'the server does not agree to an SRTP profile')
  return { serverRandom, profile }
}

export interface ServerKey {
  readonly group: (typeof PREFERRED_GROUPS)[number]
  readonly publicKey: Buffer
}

/** The server's ephemeral key, which must be signed with the key of its certificate. */
export function readServerKeyExchange(body: Buffer, { client, server }: Randoms, certificateKey: KeyObject): ServerKey {
  const reader = readBytes(body)
  const curveType = reader.uint8()
  const curve = reader.uint16()
  const publicKey = Buffer.from(reader.vector(1))
  const parameters = body.subarray(0, body.length - reader.left)
  checkSignature(reader, Buffer.concat([client, server, parameters]), certificateKey, 'ServerKeyExchange')
  reader.end()
  const group = PREFERRED_GROUPS.find((each) => each === curve)
  if (curveType !== NAMED_CURVE || group === undefined)
    throw new HandshakeError(ILLEGAL_PARAMETER, 'the server chooses another curve')
  return { group, publicKey }
}

/** The server must ask for our certificate, and take one with our kind of key. */
export function checkCertificateRequest(body: Buffer): void {
  const reader = readBytes(body)
  const types = reader.vector(1)
  const algorithms = uint16s(reader.vector(2))
  reader.vector(2) // authorities: the certificate is known by its fingerprint
  reader.end()
  require(types.includes(ECDSA_SIGN) && algorithms.includes(ECDSA_P256_SHA256), 'ECDSA signatures')
}

function require(isThere: boolean, what: string): void {
  if (!isThere) throw new HandshakeError(HANDSHAKE_FAILURE, `the server does not agree to ${what}`)
}
