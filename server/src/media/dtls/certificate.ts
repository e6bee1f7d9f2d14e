import type { KeyObject } from 'node:crypto'

/** The certificate that our side shows in DTLS. */
export interface Certificate {
  readonly der: Buffer
  readonly privateKey: KeyObject
  /** Such as `sha-256 AA:BB…`, as SDP carries it. */
  readonly fingerprint: string
}

export function createCertificate(): Certificate {
  throw new Error('not written yet')
}
