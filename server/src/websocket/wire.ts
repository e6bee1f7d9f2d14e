import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import type { Close } from '../events/stream-codes.ts'
import type { Frame } from './protocol.ts'

/** The send buffer limit of a client before it counts as too slow, and the level that recovery waits for. */
const MOST_UNSENT = 1024 * 1024
const CALM_UNSENT = 256 * 1024
/** How long a client may take to close before its socket is destroyed. */
const LAST_WORDS = 5000

/** The outgoing side of a socket: its backpressure and its close. */
export class Wire {
  readonly #socket: WebSocket
  /** The underlying TCP socket. Writes to it and to the WebSocket arrive in order, because neither buffers. */
  readonly #stream: Duplex
  /** Queued frames of the current batch, sent before anything else. */
  #held: Buffer[] = []

  constructor(socket: WebSocket, stream: Duplex) {
    this.#socket = socket
    this.#stream = stream
  }

  /** Returns false if the client doesn't keep up. */
  send(frame: Frame, binary: boolean): boolean {
    this.#writeHeld()
    if (this.#socket.readyState !== this.#socket.OPEN) return true
    this.#socket.send(frame, { binary })
    return this.#socket.bufferedAmount <= MOST_UNSENT
  }

  /** Writes a complete frame. Returns false if the client doesn't keep up. */
  sendWhole(frame: Buffer): boolean {
    this.#writeHeld()
    return this.#write(frame)
  }

  hold(frame: Buffer): void {
    this.#held.push(frame)
  }

  /** Sends the queued frames as one write. Returns false if the client doesn't keep up. */
  release(join: (frames: readonly Buffer[]) => Buffer): boolean {
    if (this.#held.length === 0) return true
    const frames = this.#held
    this.#held = []
    return this.#write(join(frames))
  }

  /** Waits until most of the buffer is sent or the client is gone. */
  async calm(): Promise<void> {
    while (this.#socket.bufferedAmount > CALM_UNSENT && this.#socket.readyState === this.#socket.OPEN) {
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }

  /** Optionally after a pause. */
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
