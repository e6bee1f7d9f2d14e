import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import type { Close, Frame } from './protocol.ts'

/** What may wait unsent for a client before it counts as too slow, and down to what a catch-up waits. */
const MOST_UNSENT = 1024 * 1024
const CALM_UNSENT = 256 * 1024
/** How long a client may take to close by itself before its socket is cut. */
const LAST_WORDS = 5000

/** The way out to a client: how much waits on it, and how it ends. */
export class Wire {
  readonly #socket: WebSocket
  /** What is beneath the socket, which keeps nothing back: frames arrive in the order in which either is written to. */
  readonly #stream: Duplex

  constructor(socket: WebSocket, stream: Duplex) {
    this.#socket = socket
    this.#stream = stream
  }

  /** False when the client does not keep up. */
  send(frame: Frame, binary: boolean): boolean {
    if (this.#socket.readyState !== this.#socket.OPEN) return true
    this.#socket.send(frame, { binary })
    return this.#socket.bufferedAmount <= MOST_UNSENT
  }

  /** Puts whole frames on the wire as they are. False when the client does not keep up. */
  write(frames: Buffer): boolean {
    if (this.#socket.readyState !== this.#socket.OPEN) return true
    this.#stream.write(frames)
    return this.#socket.bufferedAmount <= MOST_UNSENT
  }

  /** Waits until the client has taken most of what was sent, or is gone. */
  async calm(): Promise<void> {
    while (this.#socket.bufferedAmount > CALM_UNSENT && this.#socket.readyState === this.#socket.OPEN) {
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }

  /** After a pause, if one is wanted. */
  close({ code, reason }: Close, pause = 0): void {
    if (pause === 0) this.#socket.close(code, reason)
    else setTimeout(() => this.#socket.close(code, reason), pause).unref()
    setTimeout(() => this.#socket.terminate(), pause + LAST_WORDS).unref()
  }
}
