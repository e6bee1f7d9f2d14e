import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { describe, expect, test } from 'vitest'
import { portal } from '../../test/channel-fixture.ts'
import { startServer, type TestServer } from '../../test/start-server.ts'

const { server } = await portal()

interface RequestOptions {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: string
}

/** A request as a browser sends it that was given another name for the portal's address. */
async function ask({ url }: TestServer, host: string, path: string, { method, headers, body }: RequestOptions = {}) {
  const { port } = new URL(url)
  const sent = request({ host: '127.0.0.1', port, path, method: method ?? 'GET', headers: { ...headers, host } })
  const answered = Promise.race([once(sent, 'response'), once(sent, 'upgrade')]) as Promise<[IncomingMessage]>
  sent.end(body)
  const [response] = await answered
  response.resume()
  return response.statusCode
}

const EVIL = [
  'evil.example',
  'evil.example:3000',
  'EVIL.example',
  'portico.test.evil.example',
  'localhost.evil.example',
  '?',
]

describe('a request to a foreign host', () => {
  test.each(EVIL)('%s is refused everywhere: a website could have pointed its name here', async (host) => {
    for (const path of ['/', '/metrics', '/healthz', '/portal/v1/instance', '/api/v1/me', '/oauth/jwks']) {
      expect(await ask(server, host, path), path).toBe(400)
    }
    const body = JSON.stringify({ name: 'Eve', password: 'correct horse battery' })
    const headers = { origin: `http://${host}`, 'content-type': 'application/json' }
    expect(await ask(server, host, '/portal/v1/accounts', { method: 'POST', headers, body })).toBe(400)
    const upgrade = {
      origin: `http://${host}`,
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    }
    for (const path of ['/connection/websocket', '/rtc']) {
      expect(await ask(server, host, path, { headers: upgrade }), path).toBe(400)
    }
  })

  test('is answered if the operator allows it', async () => {
    const named = await startServer({ ALLOWED_HOSTS: 'chat.intranet.example, other.example' })
    expect(await ask(named, 'Chat.intranet.example:8080', '/healthz')).toBe(200)
    expect(await ask(named, 'evil.example', '/healthz')).toBe(400)
    const any = await startServer({ ALLOWED_HOSTS: '*' })
    expect(await ask(any, 'evil.example', '/healthz')).toBe(200)
  })
})

test.each([
  ['the public address', 'portico.test'],
  ['an address, as health checks and other devices use', '10.1.2.3:3000'],
  ['an IPv6 address', '[fd00::1]:3000'],
  ['this machine', 'localhost:3000'],
  ['a name of this machine', 'app.localhost'],
  ['a container', 'portico:3000'],
  ['a machine of the home network', 'laptop.local:3000'],
  ['a service in Kubernetes', 'portico.chat.svc.cluster.local'],
  ['the host of a container', 'host.docker.internal:3000'],
])('a request to %s is answered', async (_what, host) => {
  for (const path of ['/healthz', '/readyz', '/portal/v1/instance']) expect(await ask(server, host, path)).toBe(200)
})
