import { createHash } from 'node:crypto'

/** Names a session, key or token in the history. */
export function nameOfCredential(credential: string): string {
  return createHash('sha256').update(credential).digest('hex').slice(0, 12)
}
