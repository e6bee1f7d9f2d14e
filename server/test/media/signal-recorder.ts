import { SignalRequest, SignalResponse } from '@livekit/protocol'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'

export type ServerMessage = Exclude<SignalResponse['message'], { case: undefined }>

/** A relay between a LiveKit client and a media server that listens to what the server says. Closed after the test. */
export class SignalRecorder {
  readonly url: string
  /** Called with everything that the server says. */
  onMessage: (message: ServerMessage) => void = () => undefined
  readonly #target: string
  readonly #sockets = new Set<WebSocket>()

  static async start(target: string): Promise<SignalRecorder> {
    const server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const recorder = new SignalRecorder(target, (server.address() as AddressInfo).port)
    const webSockets = new WebSocketServer({ noServer: true })
    server.on('upgrade', (request, socket, head) => {
      // The newer version of the protocol isn't compared. Clients fall back to the older one when the server doesn't know it.
      if (!request.url?.startsWith('/rtc?')) socket.end('HTTP/1.1 404 Not Found\r\nconnection: close\r\n\r\n')
      else {
        webSockets.handleUpgrade(request, socket, head, (near) => {
          const { authorization = '' } = request.headers
          recorder.#relay(near, new WebSocket(`${target}${request.url}`, { headers: { authorization } }))
        })
      }
    })
    onTestFinished(async () => {
      recorder.cut()
      await new Promise((closed) => server.close(closed))
    })
    return recorder
  }

  private constructor(target: string, port: number) {
    this.#target = target
    this.url = `ws://127.0.0.1:${port}`
  }

  /** Sends a message to the server as if the client had. */
  request(message: SignalRequest['message']): void {
    for (const socket of this.#sockets) {
      if (socket.url?.startsWith(this.#target)) socket.send(new SignalRequest({ message }).toBinary())
    }
  }

  /** Breaks the connection, like a network failure. */
  cut(): void {
    for (const socket of this.#sockets) socket.terminate()
  }

  #relay(near: WebSocket, far: WebSocket): void {
    const waiting: Buffer[] = []
    near.on(
      'message',
      (bytes: Buffer) => void (far.readyState === WebSocket.OPEN ? far.send(bytes) : waiting.push(bytes)),
    )
    far.on('open', () => waiting.splice(0).forEach((bytes) => far.send(bytes)))
    far.on('message', (bytes: Buffer) => {
      const { message } = SignalResponse.fromBinary(bytes)
      if (message.case !== undefined) this.onMessage(message)
      near.send(bytes)
    })
    for (const [end, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(end)
      end.on('error', () => undefined)
      end.on('close', () => {
        this.#sockets.delete(end)
        other.terminate()
      })
    }
  }
}
