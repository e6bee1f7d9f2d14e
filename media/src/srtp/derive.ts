import { createCipheriv } from 'node:crypto'
import type { SrtpMasterKey } from '../dtls/srtp-keys.ts'

/** What the keys of one direction are for: the labels of RFC 3711, section 4.3. */
const RTP_LABELS = { key: 0, authentication: 1, salt: 2 }
const RTCP_LABELS = { key: 3, authentication: 4, salt: 5 }

const KEY_SIZE = 16
const AUTHENTICATION_KEY_SIZE = 20
const LABEL_AT = 7

export interface SessionKeys {
  readonly key: Buffer
  /** As long as the master salt. */
  readonly salt: Buffer
  /** Unused by GCM, which authenticates on its own. */
  readonly authentication: Buffer
}

/** The keys of one direction. */
export interface DirectionKeys {
  readonly rtp: SessionKeys
  readonly rtcp: SessionKeys
}

export function deriveSessionKeys(master: SrtpMasterKey): DirectionKeys {
  const keysOf = (labels: typeof RTP_LABELS): SessionKeys => ({
    key: derive(master, labels.key, KEY_SIZE),
    salt: derive(master, labels.salt, master.salt.length),
    authentication: derive(master, labels.authentication, AUTHENTICATION_KEY_SIZE),
  })
  return { rtp: keysOf(RTP_LABELS), rtcp: keysOf(RTCP_LABELS) }
}

/** A salt of 12 bytes, as GCM has it, counts as followed by zeros (RFC 7714, section 11). */
export function derive({ key, salt }: SrtpMasterKey, label: number, size: number): Buffer {
  const start = Buffer.alloc(16)
  salt.copy(start)
  start[LABEL_AT]! ^= label
  return createCipheriv('aes-128-ctr', key, start).update(Buffer.alloc(size))
}
