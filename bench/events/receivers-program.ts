import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { readAnswers } from '../api/read-answers.ts'
import { openSocket, type SocketClient } from './open-socket.ts'

/** Opens sockets, each with its own first messages, and keeps them open. */
export interface Opening {
  readonly open: string
  readonly port: number
  readonly clients: readonly SocketClient[]
}

/** Where a message is sent. */
export interface Target {
  readonly port: number
  /** The head of a request up to its length, and its body, in which NUMBER is replaced by the number of the message. */
  readonly head: string
  readonly body: string
}

/**
 * Sends messages and waits for them on every socket of a group, or on the same number of them for each of several targets, which take
 * turns: with a number of messages in flight.
 */
export interface Sending extends Target {
  readonly send: string
  readonly window: number
  readonly milliseconds: number
  readonly targets?: readonly Target[]
}

export interface Closing {
  readonly close: string
}

export interface Delivered {
  readonly messages: number
  readonly deliveries: number
  readonly seconds: number
  /** Milliseconds from the answer to a request until a receiver has its event. */
  readonly p50: number
  readonly p99: number
}

/** Marks the number in a message; occurs nowhere else. */
const MARK = '#'
const DIGITS = 8

const groups = new Map<string, Socket[]>()
let delivered: (message: number, now: number) => void = () => {}

async function open({ open: group, port, clients }: Opening): Promise<number> {
  const sockets = groups.get(group) ?? []
  groups.set(group, sockets)
  // In batches: the queue of connections waiting to be accepted is short.
  for (let next = 0; next < clients.length; next += 50) {
    const opening = clients.slice(next, next + 50).map((client) => openOne(port, client))
    sockets.push(...(await Promise.all(opening)))
  }
  return sockets.length
}

async function openOne(port: number, client: SocketClient): Promise<Socket> {
  const socket = await openSocket(port, client, deliver)
  // One receiver less would falsify every figure.
  socket.once('close', () => fail(new Error('the server closed a socket')))
  return socket
}

function deliver(payload: Buffer): void {
  const start = payload.indexOf(MARK)
  if (start < 0) return
  let message = 0
  for (let at = start + 1; at <= start + DIGITS; at += 1) message = message * 10 + (payload[at] ?? 0) - 48
  delivered(message, performance.now())
}

let numbered = 0

async function send({ send: group, window, milliseconds, ...one }: Sending): Promise<Delivered> {
  const { targets = [one] } = one
  const receivers = (groups.get(group)?.length ?? 0) / targets.length
  const outstanding = new Map<number, { left: number; answeredAt: number; early: number; done: () => void }>()
  const took: number[] = []
  let last = 0
  delivered = (message, now) => {
    const entry = outstanding.get(message)
    if (!entry) throw new Error(`message ${message} came once too often`)
    last = now
    if (entry.answeredAt > 0) took.push(now - entry.answeredAt)
    else entry.early += 1
    entry.left -= 1
    if (entry.left === 0) entry.done()
  }

  let messages = 0
  const started = performance.now()
  const deadline = started + milliseconds
  await Promise.all(
    Array.from({ length: window }, async (_, index) => {
      const { port, head, body } = targets[index % targets.length]!
      const socket = connect({ port, host: '127.0.0.1', noDelay: true })
      await once(socket, 'connect')
      let answered: (status: number, text: () => string) => void = () => {}
      readAnswers(socket, (status, text) => answered(status, text))
      while (performance.now() < deadline) {
        const message = (numbered += 1)
        messages += 1
        const content = body.replace('NUMBER', MARK + String(message).padStart(DIGITS, '0'))
        await new Promise<void>((resolve, reject) => {
          // Both the answer and every delivery.
          let open = receivers > 0 ? 2 : 1
          const done = (): void => void (--open === 0 && resolve())
          const entry = { left: receivers, answeredAt: 0, early: 0, done }
          outstanding.set(message, entry)
          answered = (status, text) => {
            if (status !== 201) return reject(new Error(text()))
            entry.answeredAt = performance.now()
            // An event that arrives before the sender's response has no latency.
            for (let early = 0; early < entry.early; early += 1) took.push(0)
            done()
          }
          socket.write(`${head}content-length: ${Buffer.byteLength(content)}\r\n\r\n${content}`)
        })
        outstanding.delete(message)
      }
      socket.destroy()
    }),
  )
  const seconds = ((receivers > 0 ? last : performance.now()) - started) / 1000
  took.sort((a, b) => a - b)
  const at = (share: number): number => took[Math.floor((took.length - 1) * share)] ?? 0
  return { messages, deliveries: took.length, seconds, p50: at(0.5), p99: at(0.99) }
}

function close({ close: group }: Closing): number {
  const sockets = groups.get(group) ?? []
  groups.delete(group)
  for (const socket of sockets) socket.removeAllListeners('close').destroy()
  return sockets.length
}

process.on('message', (order: Opening | Sending | Closing) => {
  const carriedOut = 'open' in order ? open(order) : 'send' in order ? send(order) : Promise.resolve(close(order))
  carriedOut.then((answer) => process.send?.(answer), fail)
})

function fail(error: unknown): void {
  console.error(error)
  process.exit(1)
}

// The parent process is gone.
process.once('disconnect', () => process.exit())
