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
  /** Whole frames that leave together with the others of their batch, before anything else does. */
  #held: Buffer[] = []

  constructor(socket: WebSocket, stream: Duplex) {
    this.#socket = socket
    this.#stream = stream
  }

  /** False when the client does not keep up. */
  send(frame: Frame, binary: boolean): boolean {
    this.#writeHeld()
    if (this.#socket.readyState !== this.#socket.OPEN) return true
    this.#socket.send(frame, { binary })
    return this.#socket.bufferedAmount <= MOST_UNSENT
  }

  /** A whole frame, put on the wire as it is. False when the client does not keep up. */
  sendWhole(frame: Buffer): boolean {
    this.#writeHeld()
    return this.#write(frame)
  }

  hold(frame: Buffer): void {
    this.#held.push(frame)
  }

  /** Sends what is held, as one. False when the client does not keep up. */
  release(join: (frames: readonly Buffer[]) => Buffer): boolean {
    if (this.#held.length === 0) return true
    const frames = this.#held
    this.#held = []
    return this.#write(join(frames))
  }

  /** Waits until the client has taken most of what was sent, or is gone. */
  async calm(): Promise<void> {
    while (this.#socket.bufferedAmount > CALM_UNSENT && this.#socket.readyState === this.#socket.OPEN) {
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }

  /** After a pause, if one is wanted. */
  close({ code, reason }: Close, pause = 0): void {
    this.#writeHeld()
    if (pause === 0) this.#socket.close(code, reason)
    else setTimeout(() => this.#socket.close(code, reason), pause).unref()
    setTimeout(() => this.#socket.terminate(), pause + LAST_WORDS).unref()
  }

  #writeHeld(): void {
    this.release((frames) => Buffer.concat(frames))
  }

  #write(frames: Buffer): boolean {
    if (this.#socket.readyState !== this.#socket.OPEN) return true
    this.#stream.write(frames)
    return this.#socket.bufferedAmount <= MOST_UNSENT
  }
}
