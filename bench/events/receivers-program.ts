import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { readAnswers } from '../api/read-answers.ts'

/** Opens sockets, each with its own first messages, and keeps them open. */
export interface Opening {
  readonly open: string
  readonly port: number
  readonly clients: readonly { readonly headers: string; readonly frames: readonly string[] }[]
}

/** Sends messages and waits for them on every socket of a group, with a number of messages in flight. */
export interface Sending {
  readonly send: string
  readonly port: number
  /** The head of a request up to its length, and its body, in which NUMBER is replaced by the number of the message. */
  readonly head: string
  readonly body: string
  readonly window: number
  readonly milliseconds: number
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

async function openOne(port: number, { headers, frames }: Opening['clients'][number]): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await once(socket, 'connect')
  socket.write(
    'GET /connection/websocket HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
      `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n${headers}\r\n`,
  )
  for (const frame of frames) socket.write(masked(frame))
  return new Promise((resolve, reject) => {
    socket.once('error', reject)
    // Once it is open, too: one receiver less would falsify every figure.
    socket.once('close', () => fail(new Error('the server closed a socket')))
    let answers = frames.length
    readFrames(socket, (payload) => {
      if (payload === undefined ? answers === 0 : payload.includes('"id"') && --answers === 0) {
        resolve(socket)
      }
      if (payload === undefined) return
      if (payload.length === 2) socket.write(masked('{}'))
      else deliver(payload)
    })
  })
}

function deliver(payload: Buffer): void {
  const start = payload.indexOf(MARK)
  if (start < 0) return
  let message = 0
  for (let at = start + 1; at <= start + DIGITS; at += 1) message = message * 10 + (payload[at] ?? 0) - 48
  delivered(message, performance.now())
}

/** A client's frames are masked; a mask of zeros leaves them as they are. */
function masked(text: string): Buffer {
  const payload = Buffer.from(text)
  const length = payload.length < 126 ? [0x80 | payload.length] : [0xfe, payload.length >> 8, payload.length & 255]
  return Buffer.concat([Buffer.from([0x81, ...length, 0, 0, 0, 0]), payload])
}

/** Gives the handshake's end as undefined, then every frame: whole text frames, as both servers send them. */
function readFrames(socket: Socket, got: (payload: Buffer | undefined) => void): void {
  let kept: Buffer | undefined
  let shaken = false
  socket.on('data', (chunk: Buffer) => {
    let data = kept ? Buffer.concat([kept, chunk]) : chunk
    kept = undefined
    if (!shaken) {
      const end = data.indexOf('\r\n\r\n')
      if (end < 0) {
        kept = data
        return
      }
      shaken = true
      data = data.subarray(end + 4)
      got(undefined)
    }
    let at = 0
    while (data.length - at >= 2) {
      const short = (data[at + 1] ?? 0) & 127
      const head = short < 126 ? 2 : short === 126 ? 4 : 10
      if (data.length - at < head) break
      // Longer ones tell who of thousands is online; none comes near four gigabytes.
      const length = short < 126 ? short : short === 126 ? data.readUInt16BE(at + 2) : data.readUInt32BE(at + 6)
      if (data.length - at < head + length) break
      got(data.subarray(at + head, at + head + length))
      at += head + length
    }
    if (at < data.length) kept = data.subarray(at)
  })
}

let numbered = 0

async function send({ send: group, port, head, body, window, milliseconds }: Sending): Promise<Delivered> {
  const receivers = groups.get(group)?.length ?? 0
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
    Array.from({ length: window }, async () => {
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
