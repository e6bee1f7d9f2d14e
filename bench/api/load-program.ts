import { connect, type Socket } from 'node:net'
import { once } from 'node:events'
import { readAnswers } from './read-answers.ts'

/** Sends requests over a number of connections, each as soon as the previous response is complete, or after a pause. */
export interface Load {
  /** Of the servers that share the connections. */
  readonly ports: readonly number[]
  /** Whole HTTP requests, sent in turn. */
  readonly requests: readonly string[]
  /** The status that every response must have. */
  readonly status: number
  readonly connections: number
  /** In milliseconds, on average: the connections pause independently of each other. */
  readonly pause?: number
  readonly milliseconds: number
}

export interface Loaded {
  readonly answers: number
  readonly seconds: number
  /** Milliseconds from a request to its complete response. */
  readonly p50: number
  readonly p99: number
  /** Responses with another status: the count, and the first of them. */
  readonly unexpected: { readonly count: number; readonly first: string }
}

async function run(load: Load): Promise<Loaded> {
  const { ports } = load
  const sockets = await Promise.all(
    Array.from({ length: load.connections }, (_, index) => open(ports[index % ports.length] ?? 0)),
  )
  const requests = load.requests.map((request) => Buffer.from(request))
  const took: number[] = []
  const unexpected = { count: 0, first: '' }
  let next = 0

  const started = performance.now()
  const deadline = started + load.milliseconds
  await Promise.all(
    sockets.map(
      (socket) =>
        new Promise<void>((resolve, reject) => {
          let sent = 0
          const send = (): void => {
            sent = performance.now()
            socket.write(requests[next++ % requests.length] ?? '')
          }
          readAnswers(socket, (status, text) => {
            const now = performance.now()
            took.push(now - sent)
            if (status !== load.status) {
              unexpected.first ||= text()
              unexpected.count += 1
            }
            const paused = now - Math.log(1 - Math.random()) * (load.pause ?? 0)
            if (paused >= deadline) resolve()
            else if (paused > now) setTimeout(send, paused - now)
            else send()
          })
          socket.once('error', reject)
          socket.once('close', () => reject(new Error('the server closed a connection')))
          send()
        }),
    ),
  )
  const seconds = (performance.now() - started) / 1000
  for (const socket of sockets) socket.removeAllListeners('close').destroy()

  took.sort((a, b) => a - b)
  const at = (share: number): number => took[Math.floor((took.length - 1) * share)] ?? 0
  return { answers: took.length, seconds, p50: at(0.5), p99: at(0.99), unexpected }
}

async function open(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await once(socket, 'connect')
  return socket
}

process.on('message', (load: Load) => {
  void run(load).then(
    (loaded) => process.send?.(loaded),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})

// The parent process is gone.
process.once('disconnect', () => process.exit())
