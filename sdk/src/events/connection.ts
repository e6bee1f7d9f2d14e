import type { Position } from './positions.ts'
import type { WebSocketConstructor, WebSocketLike } from './web-socket.ts'

/** Sent and received as JSON, one or more in a frame. Names are those of the Centrifuge protocol. */
interface Reply {
  readonly id?: number
  readonly error?: { readonly code: number; readonly message: string; readonly temporary?: boolean }
  readonly connect?: { readonly ping?: number; readonly ttl?: number }
  readonly refresh?: { readonly ttl?: number }
  readonly subscribe?: {
    readonly epoch: string
    readonly offset: number
    readonly was_recovering?: boolean
    readonly recovered?: boolean
  }
  readonly push?: { readonly pub?: { readonly data: unknown; readonly offset?: number } }
}

/** Why a connection ended: a close code, or the code of an error reply. */
export interface Ending {
  readonly code: number
  readonly reason: string
  readonly isFinal: boolean
}

export interface ConnectionOptions {
  readonly WebSocket: WebSocketConstructor
  readonly url: string
  readonly token: string
  readonly channel: string
  /** Where to continue; without it, with new events. */
  readonly since: Position | undefined
  readonly signal: AbortSignal
  /** Gets a token that replaces the current one before it expires. */
  readonly renewToken: () => Promise<string>
  readonly onSubscribed: (position: Position, outcome: { readonly isGap: boolean }) => void
  readonly onPublication: (data: unknown, offset: number | undefined) => void
}

/** Until the subscription is confirmed. */
const OPENING_TIMEOUT = 30_000
/** How late a ping may be. */
const PING_DELAY = 10_000
const [CONNECT, SUBSCRIBE] = [1, 2]

/** One connection to the event stream, until it ends. */
export class Connection {
  readonly #options: ConnectionOptions
  readonly #socket: WebSocketLike
  readonly #ended: Promise<Ending>
  #resolve: (ending: Ending) => void = () => {}
  #watchdog: ReturnType<typeof setTimeout> | undefined
  #renewal: ReturnType<typeof setTimeout> | undefined
  #silence = OPENING_TIMEOUT
  #lastId = SUBSCRIBE
  #isOver = false

  private constructor(options: ConnectionOptions) {
    this.#options = options
    this.#ended = new Promise((resolve) => (this.#resolve = resolve))
    this.#socket = new options.WebSocket(options.url)
    let isOpen = false
    this.#socket.addEventListener('open', () => {
      isOpen = true
      this.#connect()
    })
    this.#socket.addEventListener('message', ({ data }) => this.#receive(String(data)))
    // After it has been open, `close` follows and says more. If it can't be opened, Node 22 fires only this.
    this.#socket.addEventListener('error', () => {
      if (!isOpen) this.#end({ code: 1006, reason: 'the WebSocket couldn’t be opened', isFinal: false })
    })
    this.#socket.addEventListener('close', ({ code, reason }) => this.#end({ code, reason, isFinal: isFinal(code) }))
    this.#watch()
  }

  /** Connects, and resolves when the connection has ended. */
  static async run(options: ConnectionOptions): Promise<Ending> {
    const connection = new Connection(options)
    const stop = (): void => connection.#end({ code: 1000, reason: 'stopped', isFinal: true })
    options.signal.addEventListener('abort', stop, { once: true })
    if (options.signal.aborted) stop()
    try {
      return await connection.#ended
    } finally {
      options.signal.removeEventListener('abort', stop)
    }
  }

  #connect(): void {
    if (this.#isOver) return this.#socket.close()
    const { token, channel, since } = this.#options
    this.#send({ id: CONNECT, connect: { token, name: 'portico-sdk' } })
    this.#send({ id: SUBSCRIBE, subscribe: { channel, ...(since && { recover: true, ...since }) } })
  }

  #receive(frame: string): void {
    if (this.#isOver) return
    this.#watch()
    for (const line of frame.split('\n')) if (line !== '') this.#handle(JSON.parse(line) as Reply)
  }

  #handle({ id, error, connect, refresh, subscribe, push }: Reply): void {
    if (error) return this.#end({ code: error.code, reason: error.message, isFinal: error.temporary !== true })
    if (connect) {
      if (connect.ping) this.#silence = connect.ping * 1000 + PING_DELAY
      this.#renewBefore(connect.ttl)
    } else if (refresh) this.#renewBefore(refresh.ttl)
    else if (subscribe) {
      const { epoch, offset, was_recovering: wasRecovering, recovered } = subscribe
      this.#options.onSubscribed({ epoch, offset }, { isGap: wasRecovering === true && recovered !== true })
    } else if (push?.pub) this.#options.onPublication(push.pub.data, push.pub.offset)
    else if (id === undefined) this.#socket.send('{}')
  }

  #renewBefore(ttl: number | undefined): void {
    if (ttl === undefined) return
    // Ten minutes early, so that a renewal can fail and the next connection still has time for another.
    const delay = ttl * 1000 - Math.min(600_000, ttl * 250)
    this.#renewal = setTimeout(() => void this.#renew(), delay)
  }

  async #renew(): Promise<void> {
    try {
      const token = await this.#options.renewToken()
      if (this.#isOver) return
      this.#send({ id: (this.#lastId += 1), refresh: { token } })
    } catch (error) {
      this.#end({ code: 0, reason: `the token couldn’t be renewed: ${String(error)}`, isFinal: false })
    }
  }

  /** Ends the connection if nothing arrives for too long. */
  #watch(): void {
    clearTimeout(this.#watchdog)
    const end = (): void => this.#end({ code: 0, reason: 'nothing arrived for too long', isFinal: false })
    this.#watchdog = setTimeout(end, this.#silence)
  }

  #send(command: object): void {
    this.#socket.send(JSON.stringify(command))
  }

  #end(ending: Ending): void {
    // On Node 22, closing a socket that couldn’t be opened fires `error` again.
    if (this.#isOver) return
    this.#isOver = true
    clearTimeout(this.#watchdog)
    clearTimeout(this.#renewal)
    this.#socket.close()
    this.#resolve(ending)
  }
}

/** The codes after which a client of the Centrifuge protocol doesn't reconnect. */
function isFinal(code: number): boolean {
  return (code >= 3500 && code < 4000) || (code >= 4500 && code < 5000)
}
