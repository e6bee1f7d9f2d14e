import type { Socket } from 'node:net'
import { Refusal } from '../operations/refusal.ts'
import { answerOnSocket } from './answer-on-socket.ts'

/** Answers invalid HTTP, oversized headers and requests that never end. */
export function answerBrokenRequest(error: Error, socket: Socket, headers: Record<string, string>): void {
  const gone = 'code' in error && error.code === 'ECONNRESET'
  if (gone || !socket.writable) {
    socket.destroy()
    return
  }
  answerOnSocket(new Refusal('badRequest'), socket, headers)
}
