import type { Socket } from 'node:net'

/** In bytes: how much may be under way before the sender has to wait. */
const MOST = 1024 ** 2

/** What is under way: bytes, the end of the stream, or the loss of the connection. */
type Piece = Buffer | 'end' | 'closed' | 'reset'

/** One direction of a connection. Everything passes in order, at once, after a delay, or when it is no longer held back. */
export class OneWay {
  readonly #from: Socket
  readonly #to: Socket
  #queue: { readonly piece: Piece; readonly due: number }[] = []
  #size = 0
  #isHeld = false
  #isFull = false
  #delay = 0
  #timer: NodeJS.Timeout | undefined

  constructor(from: Socket, to: Socket) {
    this.#from = from
    this.#to = to
    let hasFailed = false
    from.on('error', () => (hasFailed = true))
    from.on('data', (bytes) => this.#add(bytes))
    from.on('end', () => this.#add('end'))
    from.on('close', () => this.#add(hasFailed ? 'reset' : 'closed'))
    to.on('drain', () => {
      this.#isFull = false
      this.#pass()
    })
    to.on('close', () => clearTimeout(this.#timer))
  }

  hold(): void {
    this.#isHeld = true
  }

  /** In milliseconds, for what is sent from now on. */
  delay(milliseconds: number): void {
    this.#delay = milliseconds
  }

  /** Everything that was held back passes. */
  release(): void {
    this.#isHeld = false
    this.#delay = 0
    this.#pass()
  }

  #add(piece: Piece): void {
    this.#queue.push({ piece, due: performance.now() + this.#delay })
    if (typeof piece !== 'string') this.#size += piece.length
    if (this.#size > MOST) this.#from.pause()
    this.#pass()
  }

  #pass(): void {
    while (!this.#isHeld && !this.#isFull) {
      const [next] = this.#queue
      if (!next) break
      const wait = next.due - performance.now()
      if (wait > 0) {
        clearTimeout(this.#timer)
        this.#timer = setTimeout(() => this.#pass(), wait)
        return
      }
      this.#queue.shift()
      this.#deliver(next.piece)
    }
    if (this.#size <= MOST && !this.#from.destroyed) this.#from.resume()
  }

  #deliver(piece: Piece): void {
    if (this.#to.destroyed) {
      if (typeof piece !== 'string') this.#size -= piece.length
      return
    }
    if (piece === 'end') this.#to.end()
    else if (piece === 'closed') this.#to.destroySoon()
    else if (piece === 'reset') this.#to.resetAndDestroy()
    else {
      this.#size -= piece.length
      this.#isFull = !this.#to.write(piece)
    }
  }
}
