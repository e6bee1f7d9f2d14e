import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { startServer, type TestServer } from '../../test/start-server.ts'
import { portal } from '../../test/channel-fixture.ts'
import { contentSecurityPolicy } from './security-headers.ts'

const { server, administrator } = await portal()
const page = { accept: 'text/html' }

type Answer = [what: string, status: number, path: string, init?: RequestInit]

const pages: Answer[] = [
  ['the page', 200, '/', { headers: page }],
  ['the page at an address of the app', 200, '/sign-in', { headers: page }],

  ['a health check', 200, '/healthz'],
  ['an unreadable address', 400, '/%'],
]

const answers: Answer[] = [
  ['an answer of the API', 200, '/portal/v1/instance'],
  ['its reference', 200, '/portal/v1/openapi.json'],
  ['a missing key', 401, '/api/v1/me'],
  ['a missing session', 401, '/portal/v1/sessions'],
  ['a foreign origin', 403, '/portal/v1/sessions', { method: 'POST' }],
  ['an unknown address', 404, '/portal/v1/nothing'],
  ['a file of the portal', 404, '/_app/immutable/nothing.js'],
  ['an unknown method', 404, '/portal/v1/instance', { method: 'OPTIONS' }],
  ['an unreadable body', 400, '/portal/v1/sessions', { method: 'POST', body: '{', headers: jsonFrom(server) }],
]

describe('every response', () => {
  test.each(pages)('isolates the page: %s', async (_, status, path, init) => {
    const response = await fetch(server.url + path, init)
    expect(response.status).toBe(status)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-security-policy': contentSecurityPolicy('http://portico.test'),
      'referrer-policy': 'strict-origin-when-cross-origin',
      'cross-origin-opener-policy': 'same-origin',
      'permissions-policy': expect.stringContaining('microphone=(self)'),
    })
  })

  test.each(answers)(
    'is nothing for a browser to show, where it is none of a page: %s',
    async (_, status, path, init) => {
      const response = await fetch(server.url + path, init)
      expect(response.status).toBe(status)
      expect(response.headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'")
    },
  )

  test.each([...pages, ...answers])(
    'has a request id and reveals no more than necessary: %s',
    async (_, _status, path, init) => {
      const { headers } = await fetch(server.url + path, init)
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('x-request-id')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]{21}$/)
      expect(headers.has('strict-transport-security')).toBe(false)
      expect(headers.has('access-control-allow-origin')).toBe(false)
      expect(headers.has('x-powered-by')).toBe(false)
    },
  )

  test('are sent even for invalid HTTP, in the error format', async () => {
    const { hostname, port } = new URL(server.url)
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    socket.end('KNOCK KNOCK\r\n\r\n')
    const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n')
    expect(head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
    expect(head).toContain(`content-security-policy: ${contentSecurityPolicy('http://portico.test')}`)
    expect(head).toMatch(/x-request-id: [0-9a-f-]{36}/)
    expect(JSON.parse(body)).toEqual({ error: 'Bad Request', status: 'error', message: 'The request isn’t valid.' })
  })

  test('has a unique request id in the logs', async () => {
    const [one, other] = await Promise.all([fetch(`${server.url}/healthz`), fetch(`${server.url}/healthz`)])
    expect(one.headers.get('x-request-id')).not.toBe(other.headers.get('x-request-id'))
  })

  test('accepts no request id from the client', async () => {
    const response = await fetch(`${server.url}/healthz`, { headers: { 'x-request-id': 'mine', 'request-id': 'mine' } })
    expect(response.headers.get('x-request-id')).not.toBe('mine')
  })

  test('has HSTS if the portal uses https', async () => {
    const secure = await startServer({ PUBLIC_URL: 'https://chat.example' })
    const { headers } = await fetch(`${secure.url}/healthz`)
    expect(headers.get('strict-transport-security')).toBe('max-age=31536000')
    expect(headers.get('content-security-policy')).toContain("connect-src 'self' wss://chat.example;")
  })
})

describe('contentSecurityPolicy', () => {
  const policy = new Map(
    contentSecurityPolicy('https://chat.example')
      .split('; ')
      .map((directive): [string, string] => [directive.split(' ')[0] ?? '', directive]),
  )

  test('allows nothing that it does not name', () => {
    expect(policy.get('default-src')).toBe("default-src 'none'")
    expect(policy.get('base-uri')).toBe("base-uri 'none'")
    expect(policy.get('frame-ancestors')).toBe("frame-ancestors 'none'")
  })

  test('allows no inline script or style, no eval and no third-party host', () => {
    expect(policy.get('script-src')).toBe("script-src 'self' 'wasm-unsafe-eval'")
    expect(policy.get('style-src')).toBe("style-src 'self'")
    expect([...policy.values()].join()).not.toMatch(/(?<!wasm-)unsafe|\*|https?:/)
  })

  test('allows connections to the media server if there is one', () => {
    const connect = contentSecurityPolicy('https://chat.example', 'wss://media.example:7443/rtc').split('; ')
    expect(connect).toContain(
      "connect-src 'self' wss://chat.example wss://media.example:7443 https://media.example:7443",
    )
  })
})

describe('an avatar', () => {
  test('runs no script wherever it is opened, and may be cached forever', async () => {
    const { body } = await administrator.get<{ account: { avatar: string } }>('/session')
    const response = await fetch(`${server.url}/media/avatars/${body.account.avatar}?v=1`)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toMatch(/^image\//)
    expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none'.*sandbox/)
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('cache-control')).toContain('immutable')
  })
})

function jsonFrom({ url }: TestServer): Record<string, string> {
  return { origin: url, 'content-type': 'application/json' }
}
