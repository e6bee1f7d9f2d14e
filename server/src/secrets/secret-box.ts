import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { Secret } from './secret.ts'

const NONCE = 12
const TAG = 16

/** Keeps secrets that we must be able to read again: AES-256-GCM under a key derived for the purpose. */
export function sealer(secret: Secret, purpose: string) {
  const key = secret.key(purpose)
  return {
    seal: (text: string): Buffer => {
      const nonce = randomBytes(NONCE)
      const cipher = createCipheriv('aes-256-gcm', key, nonce)
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
    },
    open: (box: Buffer): string => {
      const decipher = createDecipheriv('aes-256-gcm', key, box.subarray(0, NONCE))
      decipher.setAuthTag(box.subarray(NONCE, NONCE + TAG))
      return Buffer.concat([decipher.update(box.subarray(NONCE + TAG)), decipher.final()]).toString('utf8')
    },
  }
}
