import { createHash, timingSafeEqual } from 'node:crypto'

const ALGORITHMS = new Map([
  ['sha-256', 'sha256'],
  ['sha-384', 'sha384'],
  ['sha-512', 'sha512'],
])

/** The fingerprint of a certificate as SDP writes it, such as `sha-256 AA:BB…`. */
export function fingerprintOf(certificate: Buffer): string {
  const digest = createHash('sha256').update(certificate).digest('hex').toUpperCase()
  return `sha-256 ${digest.match(/../g)!.join(':')}`
}

/** Whether a fingerprint from SDP names this certificate. One made with a weak or unknown hash names none. */
export function matchesFingerprint(certificate: Buffer, fingerprint: string): boolean {
  const [name = '', digits = ''] = fingerprint.trim().split(/\s+/)
  const algorithm = ALGORITHMS.get(name.toLowerCase())
  if (algorithm === undefined || !/^[\da-f]{2}(:[\da-f]{2})*$/i.test(digits)) return false
  const expected = Buffer.from(digits.replaceAll(':', ''), 'hex')
  const actual = createHash(algorithm).update(certificate).digest()
  return expected.length === actual.length && timingSafeEqual(expected, actual)
}
