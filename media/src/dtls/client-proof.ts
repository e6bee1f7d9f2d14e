import { verify, X509Certificate, type KeyObject } from 'node:crypto'
import { readBytes } from '../packet/bytes.ts'
import { BAD_CERTIFICATE, DECRYPT_ERROR, HandshakeError, ILLEGAL_PARAMETER } from './alert.ts'
import { ECDSA_P256_SHA256 } from './client-hello.ts'

export interface ClientCertificate {
  readonly der: Buffer
  readonly publicKey: KeyObject
}

/** The client's own certificate from a Certificate message. Whether it is the right one is known only by its fingerprint. */
export function readClientCertificate(body: Buffer): ClientCertificate {
  const reader = readBytes(body)
  const chain = readBytes(reader.vector(3))
  reader.end()
  if (chain.left === 0) throw new HandshakeError(BAD_CERTIFICATE, 'the client shows no certificate')
  const der = Buffer.from(chain.vector(3))
  const publicKey = publicKeyOf(der)
  if (publicKey?.asymmetricKeyDetails?.namedCurve !== 'prime256v1')
    throw new HandshakeError(BAD_CERTIFICATE, 'the certificate of the client has no P-256 key')
  return { der, publicKey }
}

function publicKeyOf(der: Buffer): KeyObject | undefined {
  try {
    return new X509Certificate(der).publicKey
  } catch {
    return undefined
  }
}

/** Checks a CertificateVerify message: without it, a client could present a certificate whose key it doesn't have. */
export function checkCertificateVerify(body: Buffer, transcript: Buffer, publicKey: KeyObject): void {
  const reader = readBytes(body)
  const algorithm = reader.uint16()
  const signature = reader.vector(2)
  reader.end()
  if (algorithm !== ECDSA_P256_SHA256)
    throw new HandshakeError(ILLEGAL_PARAMETER, 'CertificateVerify has another algorithm')
  if (!verify('sha256', transcript, { key: publicKey, dsaEncoding: 'der' }, signature))
    throw new HandshakeError(DECRYPT_ERROR, 'CertificateVerify does not fit')
}
