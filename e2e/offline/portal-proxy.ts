import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

export interface Proxy {
  readonly url: string
  /** Changes what the server answers at this path. */
  rewrite(path: string, change: (text: string) => string): void
  /** Answers 502 from now on, and cuts all sockets. */
  stop(): void
  /** From now on accepts connections and requests, but answers nothing, and carries nothing on open sockets. */
  hang(): void
  /** Answers new requests. Those that hang stay unanswered. */
  resume(): void
}

/** A reverse proxy in front of a server. Closed after the test. */
export async function startProxy(target: string): Promise<Proxy> {
  const { hostname, port } = new URL(target)
  const changes = new Map<string, (text: string) => string>()
  const sockets = new Set<Socket>()
  let state: 'running' | 'stopped' | 'hanging' = 'running'
  const server = createServer((incoming, outgoing) => {
    if (state === 'hanging') return undefined
    if (state === 'stopped') return outgoing.writeHead(502).end()
    const { method, url = '/', headers } = incoming
    const change = changes.get(url)
    const plain = change ? { ...headers, 'accept-encoding': 'identity' } : headers
    const outgoingRequest = request({ hostname, port, method, path: url, headers: plain }, (answer) => {
      const { statusCode = 502, headers: answered } = answer
      if (!change || statusCode !== 200) return answer.pipe(outgoing.writeHead(statusCode, answered))
      return void textOf(answer).then((text) => {
        const changed = change(text)
        outgoing.writeHead(200, { ...answered, 'content-length': Buffer.byteLength(changed) }).end(changed)
      })
    })
    outgoingRequest.on('error', () => outgoing.destroy())
    return incoming.pipe(outgoingRequest)
  })
  server.on('upgrade', ({ method, url, rawHeaders }, near: Socket, head: Buffer) => {
    if (state === 'stopped') return near.destroy()
    if (state === 'hanging') {
      near.on('error', () => {})
      return sockets.add(near)
    }
    const far = connect(Number(port), hostname)
    const lines = rawHeaders.map((part, index) => (index % 2 === 0 ? `${part}: ` : `${part}\r\n`))
    far.write(`${method} ${url} HTTP/1.1\r\n${lines.join('')}\r\n`)
    far.write(head)
    for (const [end, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(end)
      end.on('error', () => {})
      end.on('close', () => {
        sockets.delete(end)
        other.destroy()
      })
      end.pipe(other)
    }
    return undefined
  })
  const cut = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    cut()
    server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
  })
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    rewrite: (path, change) => void changes.set(path, change),
    stop: () => {
      state = 'stopped'
      cut()
    },
    hang: () => {
      state = 'hanging'
      for (const socket of sockets) socket.unpipe()
    },
    resume: () => {
      state = 'running'
    },
  }
}
