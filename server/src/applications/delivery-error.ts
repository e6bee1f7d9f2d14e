import type { DeliveryErrorCode } from '@portico/contract'

/** Node's error codes, which end the stored error text. */
const BY_CODE: Readonly<Record<string, DeliveryErrorCode>> = {
  ENOTFOUND: 'unknown_host',
  EAI_AGAIN: 'unknown_host',
  ECONNREFUSED: 'refused',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  ETIMEDOUT: 'silent',
  ECONNRESET: 'broken_off',
  EPIPE: 'broken_off',
  CERT_HAS_EXPIRED: 'certificate_expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate_name',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate_issuer',
  SELF_SIGNED_CERT_IN_CHAIN: 'certificate_issuer',
  UNABLE_TO_GET_ISSUER_CERT: 'certificate_issuer',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'certificate_issuer',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'certificate_issuer',
  EPROTO: 'no_tls',
}

const BY_WORDS: readonly (readonly [RegExp, DeliveryErrorCode])[] = [
  [/^answered 3\d\d/, 'redirect'],
  [/^answered \d/, 'status'],
  [/^no answer within/, 'silent'],
  [/closed without an answer$/, 'broken_off'],
  [/is in a private network/, 'private_host'],
  [/(does not resolve|has no address|was not resolved within \d+ s)$/, 'unknown_host'],
  [/\(ERR_SSL_\w+\)$/, 'no_tls'],
]

/**
 * Why an attempt failed, derived from the stored error text when it is read, so that errors stored by an older version
 * get today's codes.
 */
export function deliveryErrorOf(error: string | null): DeliveryErrorCode | null {
  if (error === null) return null
  const [, code = ''] = /\((\w+)\)$/.exec(error) ?? []
  return BY_CODE[code] ?? BY_WORDS.find(([words]) => words.test(error))?.[1] ?? 'other'
}
