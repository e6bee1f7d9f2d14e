import { AEAD_AES_128_GCM, type SrtpProfile } from './client-hello.ts'
import { exportKeyingMaterial, type Randoms } from './prf.ts'

/** The master key and salt of one direction. */
export interface SrtpMasterKey {
  readonly key: Buffer
  readonly salt: Buffer
}

export interface SrtpKeys {
  readonly profile: SrtpProfile
  /** Protects what the client sends. */
  readonly client: SrtpMasterKey
  /** Protects what the server sends. */
  readonly server: SrtpMasterKey
}

const KEY_SIZE = 16

/** The keys for SRTP that a DTLS handshake yields (RFC 5764, section 4.2). */
export function exportSrtpKeys(master: Buffer, randoms: Randoms, profile: SrtpProfile): SrtpKeys {
  const saltSize = profile === AEAD_AES_128_GCM ? 12 : 14
  const material = exportKeyingMaterial(master, 'EXTRACTOR-dtls_srtp', randoms, 2 * (KEY_SIZE + saltSize))
  const salts = material.subarray(2 * KEY_SIZE)
  return {
    profile,
    client: { key: material.subarray(0, KEY_SIZE), salt: salts.subarray(0, saltSize) },
    server: { key: material.subarray(KEY_SIZE, 2 * KEY_SIZE), salt: salts.subarray(saltSize) },
  }
}
