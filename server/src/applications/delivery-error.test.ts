import { describe, expect, test } from 'vitest'
import { deliveryErrorOf } from './delivery-error.ts'

describe('deliveryErrorOf', () => {
  test.each([
    [null, null],
    ['answered 500', 'status'],
    ['answered 301: redirects are not followed', 'redirect'],
    ['getaddrinfo ENOTFOUND hooks.example.com (ENOTFOUND)', 'unknown_host'],
    ['hooks.example.com does not resolve', 'unknown_host'],
    ['hooks.example.com was not resolved within 10 s', 'unknown_host'],
    ['10.0.0.1 is in a private network, which only WEBHOOK_ALLOW_CIDR could allow', 'private_host'],
    ['connect ECONNREFUSED 127.0.0.1:443 (ECONNREFUSED)', 'refused'],
    ['connect EHOSTUNREACH 198.51.100.7:443 (EHOSTUNREACH)', 'unreachable'],
    ['no answer within 10 s', 'silent'],
    ['read ECONNRESET (ECONNRESET)', 'broken_off'],
    ['the connection was closed without an answer', 'broken_off'],
    ['certificate has expired (CERT_HAS_EXPIRED)', 'certificate_expired'],
    ['self-signed certificate (DEPTH_ZERO_SELF_SIGNED_CERT)', 'certificate_issuer'],
    ['wrong version number (ERR_SSL_WRONG_VERSION_NUMBER)', 'no_tls'],
    ['something that never was (EWEIRD)', 'other'],
  ] as const)('classifies “%s” as %s', (error, kind) => {
    expect(deliveryErrorOf(error)).toBe(kind)
  })
})
