import type { Socket } from 'node:net'
import { Refusal } from '../refusal.ts'

/** Answers bytes that are no HTTP request, headers too large and requests that never end, in the one error shape. */
export function answerBrokenRequest(error: Error, socket: Socket, headers: Record<string, string>): void {
  const gone = 'code' in error && error.code === 'ECONNRESET'
  if (gone || !socket.writable) {
    socket.destroy()
    return
  }
  const body = JSON.stringify(new Refusal('badRequest').body())
  const lines = Object.entries({
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 400 Bad Request\r\n${lines.join('')}\r\n${body}`)
}
