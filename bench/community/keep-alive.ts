import { connect, type Socket } from 'node:net'
import { readAnswers } from '../api/read-answers.ts'

export interface Answer {
  readonly status: number
  /** Of the whole answer, with its head. */
  readonly text: () => string
}

interface Waiting {
  readonly answered: (answer: Answer) => void
  readonly failed: (error: Error) => void
}

/** A server that can't keep up must not be sent ever more. */
const MOST_WAITING = 500

/** Sends requests over connections that stay open, one at a time on each: cheaper than `node:http`. */
export class KeepAlive {
  readonly #port: number
  readonly #idle = new Set<Socket>()
  readonly #waiting = new Map<Socket, Waiting>()

  constructor(port: number) {
    this.#port = port
  }

  send(request: string): Promise<Answer> {
    if (this.#waiting.size >= MOST_WAITING) return Promise.reject(new Error('too many requests wait for an answer'))
    return new Promise((answered, failed) => {
      // The one that has been idle longest, so that the server closes none.
      const [idle] = this.#idle
      const socket = idle ?? this.#open()
      this.#idle.delete(socket)
      this.#waiting.set(socket, { answered, failed })
      socket.write(request)
    })
  }

  #open(): Socket {
    const socket = connect(this.#port, '127.0.0.1').setNoDelay()
    let why = new Error('the server closed the connection')
    socket.on('error', (error) => (why = error))
    socket.once('close', () => {
      this.#idle.delete(socket)
      this.#waiting.get(socket)?.failed(why)
      this.#waiting.delete(socket)
    })
    readAnswers(socket, (status, text) => {
      const { answered } = this.#waiting.get(socket) ?? {}
      this.#waiting.delete(socket)
      this.#idle.add(socket)
      answered?.({ status, text })
    })
    return socket
  }
}
