import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { RawSocket } from '../../test/raw-socket.ts'
import type { TestServer } from '../../test/start-server.ts'
import { portal } from '../../test/channel-fixture.ts'

const UPGRADE = [
  'Host: portico.test',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
]

/** Sends a raw handshake and returns the response until the connection ends, or the first line of a success. */
function shakeHands({ url }: TestServer, path: string, ...more: string[]): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    let response = ''
    const socket = connect({ host: hostname, port: Number(port) }, () => {
      socket.write([`GET ${path} HTTP/1.1`, ...UPGRADE, ...more, '', ''].join('\r\n'))
    })
    socket.on('data', (chunk) => {
      response += chunk.toString()
      if (response.startsWith('HTTP/1.1 101')) socket.destroy()
    })
    socket.on('close', () => resolve(response))
    socket.on('error', reject)
  })
}

/** Sends a handshake and disconnects before the response. */
function vanish({ url }: TestServer, path: string): Promise<void> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) }, () => {
      socket.write([`GET ${path} HTTP/1.1`, ...UPGRADE, '', ''].join('\r\n'), () => socket.resetAndDestroy())
    })
    socket.on('close', () => resolve())
    socket.on('error', reject)
  })
}

/** Upgrade requests bypass the HTTP error handling. */
describe('a handshake', () => {
  test.each(['/', '/api/v1/me', '/api/v1/', '//[', '//', 'http://[', '//a:99999', '*', '/%', '//x:y@[::1'])(
    'at another path is answered with 404 as a JSON error: %s',
    async (path) => {
      const { server } = await portal()
      const [head = '', body = ''] = (await shakeHands(server, path)).split('\r\n\r\n')
      expect(head).toMatch(/^HTTP\/1\.1 404 Not Found\r\n/)
      expect(head).toMatch(/^x-request-id: [0-9a-f-]{36}$/m)
      expect(head.includes('x-ratelimit-remaining: 60')).toBe(path.startsWith('/api/v1/'))
      expect(JSON.parse(body)).toMatchObject({ error: 'Not Found', status: 'error' })
    },
  )

  test.each(['Origin: http://[', 'Origin: null', 'Cookie: %=%;;==', 'X-Forwarded-For: nobody, ,,'])(
    'with invalid headers is still accepted: %s',
    async (header) => {
      const { server } = await portal()
      expect(await shakeHands(server, '/connection/websocket?%zz', header)).toMatch(/^HTTP\/1\.1 101 /)
    },
  )

  test('is harmless if its client disconnects immediately', async () => {
    const { server } = await portal()
    await Promise.all(
      Array.from({ length: 50 }, (_, index) => vanish(server, index % 2 === 0 ? '/nowhere' : '/connection/websocket')),
    )
    const raw = await RawSocket.open(server)
    raw.socket.close()
  })
})
