import { uint, vector } from '../packet/bytes.ts'
import type { Certificate } from './certificate.ts'
import { signatureOf } from './certificate-proof.ts'
import { ECDHE_ECDSA_AES128_GCM_SHA256, ECDSA_P256_SHA256, type Agreement } from './client-hello.ts'
import { EC_POINT_FORMATS, EXTENDED_MASTER_SECRET, RENEGOTIATION_INFO, USE_SRTP, writeExtension } from './extensions.ts'
import {
  CERTIFICATE,
  CERTIFICATE_REQUEST,
  SERVER_HELLO,
  SERVER_HELLO_DONE,
  SERVER_KEY_EXCHANGE,
} from './handshake-messages.ts'
import type { KeyShare } from './key-share.ts'
import { DTLS_1_2 } from './records.ts'

export const NAMED_CURVE = 3
export const ECDSA_SIGN = 64

/** Our answer to a ClientHello: all messages from ServerHello to ServerHelloDone, by type. */
export function serverFlight(
  agreement: Agreement,
  serverRandom: Buffer,
  keyShare: KeyShare,
  certificate: Certificate,
): (readonly [type: number, body: Buffer])[] {
  return [
    [SERVER_HELLO, serverHello(agreement, serverRandom)],
    [CERTIFICATE, vector(3, vector(3, certificate.der))],
    [SERVER_KEY_EXCHANGE, serverKeyExchange(agreement, serverRandom, keyShare, certificate)],
    [CERTIFICATE_REQUEST, certificateRequest()],
    [SERVER_HELLO_DONE, Buffer.alloc(0)],
  ]
}

function serverHello(agreement: Agreement, serverRandom: Buffer): Buffer {
  const extensions = [
    writeExtension(EXTENDED_MASTER_SECRET),
    writeExtension(USE_SRTP, vector(2, uint(2, agreement.profile)), vector(1)),
  ]
  if (agreement.asksForSafeRenegotiation) extensions.push(writeExtension(RENEGOTIATION_INFO, vector(1)))
  if (agreement.namesPointFormats) extensions.push(writeExtension(EC_POINT_FORMATS, vector(1, Buffer.of(0))))
  const noSession = vector(1)
  const noCompression = uint(1, 0)
  return Buffer.concat([
    uint(2, DTLS_1_2),
    serverRandom,
    noSession,
    uint(2, ECDHE_ECDSA_AES128_GCM_SHA256),
    noCompression,
    vector(2, ...extensions),
  ])
}

function serverKeyExchange(
  { clientRandom }: Agreement,
  serverRandom: Buffer,
  { group, publicKey }: KeyShare,
  { privateKey }: Certificate,
): Buffer {
  const parameters = Buffer.concat([uint(1, NAMED_CURVE), uint(2, group), vector(1, publicKey)])
  const signed = Buffer.concat([clientRandom, serverRandom, parameters])
  return Buffer.concat([parameters, signatureOf(signed, privateKey)])
}

function certificateRequest(): Buffer {
  const anyAuthority = vector(2)
  return Buffer.concat([vector(1, uint(1, ECDSA_SIGN)), vector(2, uint(2, ECDSA_P256_SHA256)), anyAuthority])
}
