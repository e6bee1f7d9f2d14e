import type { Duplex } from 'node:stream'
import type { Refusal } from '../refusal.ts'

/** Answers where there is no reply to answer with, in the one error shape, and ends the connection. */
export function answerOnSocket(refusal: Refusal, socket: Duplex, headers: Record<string, string>): void {
  const body = JSON.stringify(refusal.body())
  const lines = Object.entries({
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${refusal.status} ${refusal.body().error}\r\n${lines.join('')}\r\n${body}`)
}
