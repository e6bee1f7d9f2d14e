import { X509Certificate } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createCertificate } from './certificate.ts'
import { matchesFingerprint } from './fingerprint.ts'

describe('createCertificate', () => {
  it('signs its certificate with its own key', () => {
    const { der } = createCertificate()
    const parsed = new X509Certificate(der)
    expect(parsed.verify(parsed.publicKey)).toBe(true)
    expect(parsed.subject).toBe('CN=Portico')
  })

  it('is valid from yesterday on, for clients whose clock is late', () => {
    const now = Date.UTC(2026, 0, 1, 12)
    const { validFrom, validTo } = new X509Certificate(createCertificate(now).der)
    expect(Date.parse(validFrom)).toBe(Date.UTC(2025, 11, 31, 12))
    expect(Date.parse(validTo)).toBeGreaterThan(now)
  })

  it('gives every certificate its own fingerprint', () => {
    const [one, other] = [createCertificate(), createCertificate()]
    expect(one.fingerprint).toBe(`sha-256 ${new X509Certificate(one.der).fingerprint256}`)
    expect(one.fingerprint).not.toBe(other.fingerprint)
  })
})

describe('matchesFingerprint', () => {
  const { der, fingerprint } = createCertificate()

  it('recognizes a certificate, whatever the case', () => {
    expect(matchesFingerprint(der, fingerprint)).toBe(true)
    expect(matchesFingerprint(der, fingerprint.toLowerCase())).toBe(true)
    expect(matchesFingerprint(der, `SHA-512 ${new X509Certificate(der).fingerprint512}`)).toBe(true)
  })

  it.each([
    ['of another certificate', createCertificate().fingerprint],
    ['made with SHA-1', `sha-1 ${new X509Certificate(der).fingerprint}`],
    ['that is cut short', fingerprint.slice(0, -3)],
    ['that is empty', ''],
    ['without digits', 'sha-256'],
    ['with other characters', `${fingerprint.slice(0, -2)}ZZ`],
  ])('refuses a fingerprint %s', (_name, other) => {
    expect(matchesFingerprint(der, other)).toBe(false)
  })
})
