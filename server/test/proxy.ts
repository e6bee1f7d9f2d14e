import { once } from 'node:events'
import {
  createServer,
  request as requestHttp,
  type IncomingHttpHeaders,
  type RequestListener,
  type Server,
} from 'node:http'
import { onTestFinished } from 'vitest'

/** Starts a web server and returns its address. */
export async function serveHttp(listener: RequestListener): Promise<string> {
  return (await listen(createServer(listener))).address
}

interface ProxyOptions {
  /** Whether it forwards WebSocket upgrades. nginx doesn't by default. */
  readonly upgrades?: boolean
  readonly headers?: IncomingHttpHeaders
  /** Larger bodies are answered 413, as nginx does. */
  readonly maxBodyBytes?: number
}

/** Starts a reverse proxy that adds headers, and returns its address. */
export async function startProxy(
  target: string,
  { upgrades = false, headers: added, maxBodyBytes = Infinity }: ProxyOptions = {},
): Promise<string> {
  const { server, address } = await listen(
    createServer((request, response) => {
      if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) {
        response.writeHead(413, { connection: 'close' }).end()
        return
      }
      const { connection: _connection, upgrade: _upgrade, ...headers } = request.headers
      const onward = requestHttp(target + request.url, { method: request.method, headers: { ...headers, ...added } })
      onward.on('response', (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      })
      onward.on('error', () => response.writeHead(502).end())
      request.pipe(onward)
    }),
  )
  if (upgrades) {
    server.on('upgrade', (request, socket) => {
      const onward = requestHttp(target + request.url, { headers: { ...request.headers, ...added } })
      onward.on('upgrade', (answer, other) => {
        const lines = answer.rawHeaders.map((text, index) => (index % 2 ? `${text}\r\n` : `${text}: `)).join('')
        socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines}\r\n`)
        // Either end may disconnect abruptly.
        for (const end of [socket, other]) end.on('error', () => {})
        socket.pipe(other).pipe(socket)
      })
      onward.end()
    })
  }
  return address
}

async function listen(server: Server): Promise<{ server: Server; address: string }> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
  })
  const address = server.address()
  return { server, address: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}` }
}
