import { SignalResponse } from '@livekit/protocol'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocket, WebSocketServer } from 'ws'

export interface SignalRelay {
  readonly url: string
  stop(): void
}

/** Stands between clients and a media server, and tells clients another media port, so that a bad network can be there. */
export async function relaySignals(target: string, mediaPort: number): Promise<SignalRelay> {
  const server = createServer((_request, response) => response.writeHead(404).end())
  const sockets = new WebSocketServer({ noServer: true })
  server.on('upgrade', (request, socket, head) => {
    // Clients try a newer version of the protocol first.
    if (!request.url?.startsWith('/rtc?')) {
      socket.end('HTTP/1.1 404 Not Found\r\n\r\n')
      return
    }
    const { authorization } = request.headers
    const far = new WebSocket(target + request.url, { headers: authorization === undefined ? {} : { authorization } })
    far.on('error', () => socket.destroy())
    far.once('open', () => sockets.handleUpgrade(request, socket, head, (near) => join(near, far, mediaPort)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop() {
      for (const socket of sockets.clients) socket.terminate()
      server.close()
    },
  }
}

function join(near: WebSocket, far: WebSocket, mediaPort: number): void {
  near.on('message', (bytes: Buffer) => far.send(bytes))
  far.on('message', (bytes: Buffer) => near.send(withMediaPort(bytes, mediaPort)))
  near.on('close', () => far.terminate())
  far.on('close', () => near.terminate())
  near.on('error', () => undefined)
}

/** Of the candidates, only those for UDP are left. Without any, a candidate means that there are no more. */
export function withMediaPort(bytes: Buffer, port: number): Uint8Array {
  const response = SignalResponse.fromBinary(bytes)
  const { message } = response
  if (message.case === 'offer' || message.case === 'answer') {
    message.value.sdp = message.value.sdp
      .replaceAll(/^a=candidate:\S+ 1 tcp .*\r\n/gm, '')
      .replaceAll(/^(a=candidate:\S+ 1 udp \d+ \S+) \d+ /gm, `$1 ${port} `)
  } else if (message.case === 'trickle') {
    message.value.candidateInit = message.value.candidateInit
      .replace(/candidate:\S+ 1 tcp [^"]*/, '')
      .replace(/(candidate:\S+ 1 udp \d+ \S+) \d+ /, `$1 ${port} `)
  } else return bytes
  return response.toBinary()
}
