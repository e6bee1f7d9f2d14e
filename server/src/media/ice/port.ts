import type { Certificate } from '../dtls/certificate.ts'
import type { Transport } from '../transport.ts'

/** One UDP and TCP port that carries all media. */
export interface MediaPort {
  readonly port: number
  /** Our DTLS role is server: answers say `a=setup:passive`, and whoever answers an offer of ours must be active. */
  createTransport(): Transport
  close(): Promise<void>
}

export interface MediaPortOptions {
  /** 0 takes any free port. */
  readonly port: number
  /** The addresses to listen on, IPv4 and IPv6. */
  readonly hosts: readonly string[]
  readonly certificate: Certificate
}

export function openMediaPort(_options: MediaPortOptions): Promise<MediaPort> {
  throw new Error('not written yet')
}
