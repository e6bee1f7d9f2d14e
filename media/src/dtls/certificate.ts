import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { selfSignedCertificate } from './self-signed-certificate.ts'
import { fingerprintOf } from './fingerprint.ts'

/** The certificate that our side shows in DTLS. */
export interface Certificate {
  readonly der: Buffer
  readonly privateKey: KeyObject
  /** Such as `sha-256 AA:BB…`, as SDP carries it. */
  readonly fingerprint: string
}

const DAY_MS = 86_400_000

/** Creates a self-signed certificate with a P-256 key. Peers trust it by the fingerprint in the SDP, never by its names or dates. */
export function createCertificate(now = Date.now()): Certificate {
  const keys = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const der = selfSignedCertificate({ keys, from: now - DAY_MS, until: now + 3650 * DAY_MS })
  return { der, privateKey: keys.privateKey, fingerprint: fingerprintOf(der) }
}
