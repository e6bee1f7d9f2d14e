import { timingSafeEqual } from 'node:crypto'
import { DECRYPT_ERROR, HandshakeError } from './alert.ts'

/** Checks a Finished message, which proves that both sides have seen the same handshake. */
export function checkFinished(body: Buffer, expected: Buffer): void {
  if (body.length !== expected.length || !timingSafeEqual(body, expected))
    throw new HandshakeError(DECRYPT_ERROR, 'Finished does not fit')
}
