import type { WebSocket } from 'ws'
import type { MediaThread } from './media-thread.ts'
import { MessageBudget } from '../signal/message-budget.ts'
import type { AdmittedClient } from '../signal/signal-request.ts'
import type { Grant } from '../signal/verify-token.ts'

/** Bytes that may wait for a slow client. */
const MOST_WAITING = 4 * 1024 * 1024
/** In milliseconds; shorter than a token's life, so that a connected client can always resume. */
const REFRESH_EVERY = 60_000
/** A token that is issued in the same second as the one before is the same. */
const REFRESH_FIRST = 1500
/** In milliseconds. Some clients send no messages of their own for hours, but every WebSocket answers a ping. */
const PING_EVERY = 5000
/** Pings in a row without an answer or any message: the client is asleep or gone. */
const MOST_UNANSWERED = 4
/** How long a client may take to agree that its socket closes, in milliseconds. */
const CLOSES_WITHIN = 2000
/** The code for a client that sends too much. */
const TOO_MUCH = 1008
/** The code for a client that is silent. */
const SILENT = 1001

interface Socket {
  readonly webSocket: WebSocket
  grant: Grant
  unanswered: number
}

interface Options {
  readonly thread: Pick<MediaThread, 'post'>
  /** Issues a token with which the client can resume. */
  readonly issueToken: (grant: Grant) => Promise<string>
}

/** The main thread's ends of all signaling sockets. Frames pass through as bytes, and tokens are renewed here. */
export class SignalSockets {
  readonly #options: Options
  readonly #sockets = new Map<number, Socket>()
  #refreshing: NodeJS.Timeout | undefined
  #pinging: NodeJS.Timeout | undefined
  #opened = 0

  constructor(options: Options) {
    this.#options = options
  }

  start(): void {
    this.#refreshing = setInterval(() => {
      for (const id of this.#sockets.keys()) void this.#refresh(id)
    }, REFRESH_EVERY).unref()
    this.#pinging = setInterval(() => this.#pingAll(), PING_EVERY).unref()
  }

  open(webSocket: WebSocket, admitted: AdmittedClient): void {
    const { thread } = this.#options
    const id = (this.#opened += 1)
    const socket: Socket = { webSocket, grant: admitted.grant, unanswered: 0 }
    this.#sockets.set(id, socket)
    thread.post({ type: 'open', socket: id, ...admitted })
    const budget = new MessageBudget()
    webSocket.on('pong', () => (socket.unanswered = 0))
    webSocket.on('message', (data: Buffer, isBinary: boolean) => {
      socket.unanswered = 0
      // A client that is being closed may go on sending. Here nothing is kept of it; the worker's queue has no limit.
      if (webSocket.readyState !== webSocket.OPEN) return
      if (!budget.take(data.length)) close(webSocket, TOO_MUCH)
      // A copy: the frame is a view of all that was read at once, and posting it would post the whole.
      else if (isBinary) thread.post({ type: 'frame', socket: id, bytes: new Uint8Array(data) })
    })
    // An oversized frame is an 'error' event, which would crash the process without a listener. The socket closes itself.
    webSocket.on('error', () => undefined)
    webSocket.on('close', () => {
      if (this.#sockets.delete(id)) thread.post({ type: 'gone', socket: id })
    })
  }

  send(id: number, bytes: Uint8Array): void {
    const webSocket = this.#sockets.get(id)?.webSocket
    if (!webSocket) return
    if (webSocket.bufferedAmount > MOST_WAITING) webSocket.terminate()
    else webSocket.send(bytes)
  }

  close(id: number, code: number): void {
    const webSocket = this.#sockets.get(id)?.webSocket
    if (webSocket) close(webSocket, code)
  }

  /** The client has joined, perhaps with a token that is about to expire. */
  joined(id: number): void {
    setTimeout(() => void this.#refresh(id), REFRESH_FIRST).unref()
  }

  /** Future tokens of a participant carry this permission. */
  permit(roomId: string, identity: string, canPublish: boolean): void {
    for (const socket of this.#sockets.values()) {
      const { grant } = socket
      if (grant.roomId === roomId && grant.identity === identity) socket.grant = { ...grant, canPublish }
    }
  }

  /** Closes all sockets; the worker needs no message. */
  closeAll(code: number): void {
    const sockets = [...this.#sockets.values()]
    this.#sockets.clear()
    for (const { webSocket } of sockets) close(webSocket, code)
  }

  stop(): void {
    clearInterval(this.#refreshing)
    clearInterval(this.#pinging)
  }

  #pingAll(): void {
    for (const socket of this.#sockets.values()) {
      const { webSocket } = socket
      if (webSocket.readyState !== webSocket.OPEN) continue
      if (socket.unanswered >= MOST_UNANSWERED) close(webSocket, SILENT)
      else webSocket.ping()
      socket.unanswered += 1
    }
  }

  /** Sends a client a token with which it can resume. */
  async #refresh(id: number): Promise<void> {
    const socket = this.#sockets.get(id)
    if (!socket) return
    // Only the worker needs the protocol from the start.
    const { writeMessage } = await import('../signal/codec.ts')
    const value = await this.#options.issueToken(socket.grant)
    if (this.#sockets.has(id)) this.send(id, writeMessage({ case: 'refreshToken', value }))
  }
}

/** A client that doesn't read would keep its socket, and all that waits in it, for half a minute. */
function close(webSocket: WebSocket, code: number): void {
  webSocket.close(code)
  const timeout = setTimeout(() => webSocket.terminate(), CLOSES_WITHIN).unref()
  webSocket.once('close', () => clearTimeout(timeout))
}
