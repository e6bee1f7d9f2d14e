import { once } from 'node:events'
import { request } from 'node:http'
import { describe, expect, test } from 'vitest'
import { setUpCode } from '../accounts/set-up.ts'
import { Person } from '../../test/person.ts'
import { startServer } from '../../test/start-server.ts'

/** The client address that the portal records for a sign-in with these headers. */
async function addressSeen(settings: Record<string, string>, headers: Record<string, string>): Promise<unknown> {
  const server = await startServer(settings)
  const person = await new Person(server).setUp(setUpCode(server.services.secret))
  await person.request('POST', '/sessions', { name: person.name, password: person.password }, headers)
  const { body } = await person.get<{ sessions: { address: string; current: boolean }[] }>('/sessions')
  return body.sessions.find(({ current }) => current)?.address
}

describe('the client address', () => {
  test('is that of the connection, whatever the client claims', async () => {
    expect(await addressSeen({}, { 'x-forwarded-for': '203.0.113.7' })).toBe('127.0.0.1')
  })

  test('is the address that a trusted proxy forwards', async () => {
    const settings = { TRUSTED_PROXIES: '127.0.0.1' }
    expect(await addressSeen(settings, { 'x-forwarded-for': '203.0.113.7' })).toBe('203.0.113.7')
  })

  test('ignores entries that the client added before the proxy’s', async () => {
    const settings = { TRUSTED_PROXIES: '127.0.0.0/8' }
    expect(await addressSeen(settings, { 'x-forwarded-for': '198.51.100.1, 203.0.113.7' })).toBe('203.0.113.7')
  })

  test('is that of the connection if the proxy is not trusted', async () => {
    const settings = { TRUSTED_PROXIES: '10.0.0.0/8' }
    expect(await addressSeen(settings, { 'x-forwarded-for': '203.0.113.7' })).toBe('127.0.0.1')
  })
})

test('a client that offers HTTP/2 is answered in HTTP/1.1', async () => {
  const { url } = await startServer()
  const offer = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABkAARAAAAA' }
  const sent = request(`${url}/healthz`, { headers: offer }).end()
  const [response] = await once(sent, 'response')
  response.resume()
  expect(response.statusCode).toBe(200)
})
