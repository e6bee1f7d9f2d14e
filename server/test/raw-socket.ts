import { once } from 'node:events'
import { WebSocket } from 'ws'
import type { TestServer } from './start-server.ts'

export interface Closed {
  readonly code: number
  readonly reason: string
}

/** A reply or push, loosely typed. */
interface Message {
  readonly id?: number
  readonly error?: { code: number; message: string; temporary?: boolean }
  readonly connect?: { client: string; ping: number; pong: boolean; expires?: boolean; ttl?: number }
  readonly subscribe?: Subscribed
  readonly refresh?: { client: string; expires?: boolean; ttl?: number }
  readonly unsubscribe?: object
  readonly push?: { channel: string; pub: { data: { event: string; data: unknown }; offset: number } }
}

export interface Subscribed {
  readonly recoverable: boolean
  readonly positioned: boolean
  readonly epoch: string
  readonly offset: number
  readonly was_recovering?: boolean
  readonly recovered?: boolean
}

export function socketUrl(server: Pick<TestServer, 'url'>): string {
  return `${server.url.replace(/^http/, 'ws')}/connection/websocket`
}

/** A low-level client that can also send invalid commands. */
export class RawSocket {
  readonly socket: WebSocket
  /** Every received text frame, including pings. */
  readonly frames: string[] = []
  readonly closed: Promise<Closed>
  /** Whether it answers pings. */
  answersPings = true
  #waiting: (() => void)[] = []
  #read = 0

  private constructor(socket: WebSocket) {
    this.socket = socket
    socket.on('message', (data: Buffer) => {
      const frame = data.toString()
      if (frame === '{}' && this.answersPings) socket.send('{}')
      this.frames.push(frame)
      for (const waiting of this.#waiting.splice(0)) waiting()
    })
    socket.on('error', () => undefined)
    this.closed = once(socket, 'close').then(([code, reason]: unknown[]) => ({
      code: Number(code),
      reason: String(reason),
    }))
  }

  static async open(
    server: Pick<TestServer, 'url'>,
    headers: Record<string, string> = {},
    query = '',
  ): Promise<RawSocket> {
    const raw = new RawSocket(new WebSocket(socketUrl(server) + query, { headers }))
    await once(raw.socket, 'open')
    return raw
  }

  /** Sends commands in one frame, one per line. */
  send(...commands: object[]): void {
    this.socket.send(commands.map((command) => JSON.stringify(command)).join('\n'))
  }

  /** The next message that is not a ping. */
  async next(): Promise<Message> {
    for (;;) {
      while (this.#read < this.frames.length) {
        const frame = this.frames[this.#read++] ?? ''
        if (frame !== '{}') return JSON.parse(frame) as Message
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
  }

  /** Sends a command and returns the next message. */
  async ask(command: object): Promise<Message> {
    this.send(command)
    return this.next()
  }
}
