import { sign, verify, X509Certificate, type KeyObject } from 'node:crypto'
import { readBytes, uint, vector, type ByteReader } from '../packet/bytes.ts'
import { BAD_CERTIFICATE, DECRYPT_ERROR, HandshakeError, ILLEGAL_PARAMETER } from './alert.ts'
import { ECDSA_P256_SHA256 } from './client-hello.ts'

export interface PeerCertificate {
  readonly der: Buffer
  readonly publicKey: KeyObject
}

/** The peer's own certificate from a Certificate message. Whether it is the right one is known only by its fingerprint. */
export function readCertificate(body: Buffer): PeerCertificate {
  const reader = readBytes(body)
  const chain = readBytes(reader.vector(3))
  reader.end()
  if (chain.left === 0) throw new HandshakeError(BAD_CERTIFICATE, 'the peer shows no certificate')
  const der = Buffer.from(chain.vector(3))
  const publicKey = publicKeyOf(der)
  if (publicKey?.asymmetricKeyDetails?.namedCurve !== 'prime256v1')
    throw new HandshakeError(BAD_CERTIFICATE, 'the certificate of the peer has no P-256 key')
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
  checkSignature(reader, transcript, publicKey, 'CertificateVerify')
  reader.end()
}

/** Reads a signature, which must be one of these bytes with the key of the certificate. */
export function checkSignature(reader: ByteReader, signed: Buffer, publicKey: KeyObject, message: string): void {
  const algorithm = reader.uint16()
  const signature = reader.vector(2)
  if (algorithm !== ECDSA_P256_SHA256) throw new HandshakeError(ILLEGAL_PARAMETER, `${message} has another algorithm`)
  if (!verify('sha256', signed, { key: publicKey, dsaEncoding: 'der' }, signature))
    throw new HandshakeError(DECRYPT_ERROR, `${message} does not fit`)
}

/** A signature with its algorithm. */
export function signatureOf(signed: Buffer, privateKey: KeyObject): Buffer {
  const signature = sign('sha256', signed, { key: privateKey, dsaEncoding: 'der' })
  return Buffer.concat([uint(2, ECDSA_P256_SHA256), vector(2, signature)])
}
