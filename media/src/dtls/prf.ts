import { createHmac } from 'node:crypto'
import type { RecordKeys } from './records.ts'

/** The pseudorandom function of TLS 1.2 with SHA-256 (RFC 5246, section 5). */
export function prf(secret: Buffer, label: string, seed: Buffer, length: number): Buffer {
  const labeled = Buffer.concat([Buffer.from(label, 'latin1'), seed])
  const hmac = (...parts: readonly Buffer[]) => {
    const keyed = createHmac('sha256', secret)
    for (const part of parts) keyed.update(part)
    return keyed.digest()
  }
  const blocks: Buffer[] = []
  let chain = labeled
  for (let size = 0; size < length; size += 32) {
    chain = hmac(chain)
    blocks.push(hmac(chain, labeled))
  }
  return Buffer.concat(blocks).subarray(0, length)
}

/** What both sides of a handshake have chosen at random. */
export interface Randoms {
  readonly client: Buffer
  readonly server: Buffer
}

/** The extended master secret (RFC 7627), which binds the keys to everything said in the handshake. */
export function masterSecret(premasterSecret: Buffer, sessionHash: Buffer): Buffer {
  return prf(premasterSecret, 'extended master secret', sessionHash, 48)
}

/** The keys of both directions for AES-128-GCM. */
export function recordKeys(master: Buffer, { client, server }: Randoms): { client: RecordKeys; server: RecordKeys } {
  const block = prf(master, 'key expansion', Buffer.concat([server, client]), 40)
  return {
    client: { key: block.subarray(0, 16), salt: block.subarray(32, 36) },
    server: { key: block.subarray(16, 32), salt: block.subarray(36, 40) },
  }
}

/** The content of a Finished message. */
export function finishedContent(master: Buffer, sender: 'client' | 'server', transcriptHash: Buffer): Buffer {
  return prf(master, `${sender} finished`, transcriptHash, 12)
}

/** Keying material for use outside of DTLS (RFC 5705). */
export function exportKeyingMaterial(
  master: Buffer,
  label: string,
  { client, server }: Randoms,
  length: number,
): Buffer {
  return prf(master, label, Buffer.concat([client, server]), length)
}
