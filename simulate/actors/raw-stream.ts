import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { nameOfCredential } from '../history/credential-name.ts'
import { WITH_PRESSES } from '../history/event-kinds.ts'
import type { Actor, Envelope, History } from '../history/history.ts'
import type { Random } from '../random/random.ts'

/** In milliseconds. */
const PAUSE = { from: 200, to: 2500 }
/** In milliseconds: the server pings more often than this. */
const SILENCE = 45_000
const [CONNECT, SUBSCRIBE] = [1, 2]

/** Sent and received as JSON, one or more in a frame, with the names of the Centrifuge protocol. */
interface Reply {
  readonly id?: number
  readonly error?: { readonly code: number; readonly message: string; readonly temporary?: boolean }
  readonly connect?: object
  readonly subscribe?: {
    readonly epoch: string
    readonly offset: number
    readonly was_recovering?: boolean
    readonly recovered?: boolean
    readonly publications?: readonly Publication[]
  }
  readonly push?: { readonly pub?: Publication }
}

interface Publication {
  readonly data: Envelope
  readonly offset: number
}

export interface RawStreamOptions {
  readonly history: History
  readonly url: string
  readonly actor: Actor
  readonly receiver: string
  readonly random: Random
  /** The key that the token belongs to. */
  readonly key: string
  /** Undefined: there is none at the moment. */
  readonly token: () => Promise<string | undefined>
  readonly onEvent: (envelope: Envelope) => void
}

/** An event stream without a client library: a socket, JSON and the position of the last event. */
export class RawStream {
  readonly receiver: string
  readonly #options: RawStreamOptions
  #socket: WebSocket | undefined
  #position: { readonly epoch: string; readonly offset: number } | undefined
  #isOver = false

  constructor(options: RawStreamOptions) {
    const { history, receiver, actor, key } = options
    this.#options = options
    this.receiver = receiver
    const credential = nameOfCredential(key)
    history.add({ kind: 'receiver', receiver, actor, transport: 'stream', credential, kinds: WITH_PRESSES })
    void this.#run()
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Loses the connection. It is opened again, and continues where it was. */
  drop(): void {
    this.#socket?.terminate()
  }

  close(): void {
    if (!this.#isOver) this.#end(0)
  }

  async #run(): Promise<void> {
    const { random } = this.#options
    while (!this.#isOver) {
      const token = await this.#options.token()
      if (token !== undefined && !this.#isOver) await this.#connect(token)
      await sleep(random.between(PAUSE.from, PAUSE.to))
    }
  }

  /** Resolves when the connection has ended. */
  async #connect(token: string): Promise<void> {
    const socket = new WebSocket(`${this.#options.url.replace(/^http/, 'ws')}/connection/websocket`)
    this.#socket = socket
    const silence = setTimeout(() => socket.terminate(), SILENCE)
    // Followed by `close`.
    socket.on('error', () => undefined)
    socket.on('open', () => {
      const since = this.#position && { recover: true, ...this.#position }
      const commands = [
        { id: CONNECT, connect: { token } },
        { id: SUBSCRIBE, subscribe: { channel: 'events', ...since } },
      ]
      socket.send(commands.map((command) => JSON.stringify(command)).join('\n'))
    })
    socket.on('message', (data: Buffer) => {
      silence.refresh()
      for (const line of data.toString().split('\n')) this.#receive(socket, line)
    })
    const code = await new Promise<number>((resolve) => void socket.once('close', resolve))
    clearTimeout(silence)
    if (isTerminal(code) && !this.#isOver) this.#end(code)
  }

  #receive(socket: WebSocket, line: string): void {
    if (line === '{}') return socket.send('{}')
    const { error, subscribe, push } = JSON.parse(line) as Reply
    if (error) {
      socket.terminate()
      // 106: displaced, 109: the token has expired, and the next one is better.
      if (error.temporary !== true && error.code !== 109 && !this.#isOver) this.#end(error.code)
    }
    if (subscribe) this.#subscribed(subscribe)
    if (push?.pub) this.#publish(push.pub)
    return undefined
  }

  #subscribed({ epoch, offset, recovered, was_recovering, publications = [] }: NonNullable<Reply['subscribe']>): void {
    const { history, receiver } = this.#options
    const isAgain = this.#position !== undefined
    history.add({ kind: 'subscribed', receiver, ...((was_recovering || isAgain) && { recovered: recovered === true }) })
    if (!recovered) this.#position = { epoch, offset }
    for (const publication of publications) this.#publish(publication)
  }

  #publish({ data, offset }: Publication): void {
    const { history, receiver, onEvent } = this.#options
    if (!this.#position || offset <= this.#position.offset) return
    this.#position = { epoch: this.#position.epoch, offset }
    history.add({ kind: 'event', receiver, offset, envelope: data })
    onEvent(data)
  }

  #end(code: number): void {
    this.#isOver = true
    this.#options.history.add({ kind: 'closed', receiver: this.receiver, code })
    this.#socket?.terminate()
  }
}

/** The codes after which a client of the protocol doesn’t connect again. */
function isTerminal(code: number): boolean {
  return (code >= 3500 && code < 4000) || (code >= 4500 && code < 5000)
}
