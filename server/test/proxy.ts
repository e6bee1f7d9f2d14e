import { once } from 'node:events'
import { createServer, request as requestHttp, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import { onTestFinished } from 'vitest'

/** A web server of the test's own. Gives its address. */
export async function serveHttp(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
  })
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
}

/** A reverse proxy that changes headers on the way. Like nginx without its WebSocket lines, it drops upgrades unless told. */
export function startProxy(
  target: string,
  change: (headers: IncomingHttpHeaders) => IncomingHttpHeaders = dropUpgrade,
) {
  return serveHttp((request, response) => {
    const onward = requestHttp(target + request.url, {
      method: request.method,
      headers: change({ ...request.headers }),
    })
    onward.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    onward.on('error', () => response.writeHead(502).end())
    request.pipe(onward)
  })
}

function dropUpgrade(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  delete headers.connection
  delete headers.upgrade
  return headers
}
