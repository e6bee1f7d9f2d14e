import type { Duplex } from 'node:stream'
import type { Refusal } from '../operations/refusal.ts'

/** How long, in milliseconds, a peer may take to read the response and close its side. */
const LINGER = 2000

/**
 * Answers on a bare socket, in the usual error format, and ends the connection even if the peer keeps its side open.
 * Further input is read and dropped: closing with unread data would reset the connection and lose the response.
 */
export function answerOnSocket(refusal: Refusal, socket: Duplex, headers: Record<string, string>): void {
  const body = JSON.stringify(refusal.body())
  const lines = Object.entries({
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${refusal.status} ${refusal.body().error}\r\n${lines.join('')}\r\n${body}`)
  socket.removeAllListeners('data').resume()
  socket.once('end', () => socket.destroy())
  const lingering = setTimeout(() => socket.destroy(), LINGER).unref()
  socket.once('close', () => clearTimeout(lingering))
}
