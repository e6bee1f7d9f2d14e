import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export interface SocketClient {
  /** Further lines of the handshake. */
  readonly headers: string
  /** The first messages, each of which is answered. */
  readonly frames: readonly string[]
}

/**
 * A minimal WebSocket client: the load program must be cheaper than the server. Resolves when the first messages are answered,
 * answers pings, and calls `received` with everything else.
 */
export async function openSocket(
  port: number,
  { headers, frames }: SocketClient,
  received: (payload: Buffer) => void,
): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await once(socket, 'connect')
  socket.write(
    'GET /connection/websocket HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
      `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n${headers}\r\n`,
  )
  for (const frame of frames) socket.write(masked(frame))
  return new Promise((resolve, reject) => {
    socket.once('error', reject)
    let answers = frames.length
    readFrames(socket, (payload) => {
      if (payload === undefined ? answers === 0 : payload.includes('"id"') && --answers === 0) resolve(socket)
      if (payload === undefined) return
      if (payload.length === 2) socket.write(masked('{}'))
      else received(payload)
    })
  })
}

/** Sends one more message. Its answer is received like an event. */
export function sendFrame(socket: Socket, frame: string): void {
  socket.write(masked(frame))
}

/** A client's frames are masked; a mask of zeros leaves them as they are. */
function masked(text: string): Buffer {
  const payload = Buffer.from(text)
  const length = payload.length < 126 ? [0x80 | payload.length] : [0xfe, payload.length >> 8, payload.length & 255]
  return Buffer.concat([Buffer.from([0x81, ...length, 0, 0, 0, 0]), payload])
}

/** Gives the handshake's end as undefined, then every frame: whole text frames, as both servers send them. */
function readFrames(socket: Socket, got: (payload: Buffer | undefined) => void): void {
  let kept: Buffer | undefined
  let shaken = false
  socket.on('data', (chunk: Buffer) => {
    let data = kept ? Buffer.concat([kept, chunk]) : chunk
    kept = undefined
    if (!shaken) {
      const end = data.indexOf('\r\n\r\n')
      if (end < 0) {
        kept = data
        return
      }
      shaken = true
      data = data.subarray(end + 4)
      got(undefined)
    }
    let at = 0
    while (data.length - at >= 2) {
      const short = (data[at + 1] ?? 0) & 127
      const head = short < 126 ? 2 : short === 126 ? 4 : 10
      if (data.length - at < head) break
      // Longer ones tell who of thousands is online; none comes near four gigabytes.
      const length = short < 126 ? short : short === 126 ? data.readUInt16BE(at + 2) : data.readUInt32BE(at + 6)
      if (data.length - at < head + length) break
      got(data.subarray(at + head, at + head + length))
      at += head + length
    }
    if (at < data.length) kept = data.subarray(at)
  })
}
