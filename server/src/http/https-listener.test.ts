import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { connect as connectTls } from 'node:tls'
import type { Invitation, StreamKey, VoiceSession } from '@portico/contract'
import { describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { channelFixture, expectOk, portal } from '../../test/channel-fixture.ts'
import { askHttps, httpsOf } from '../../test/https-client.ts'
import type { Person } from '../../test/person.ts'
import { MEDIA_ON, startServer } from '../../test/start-server.ts'

const HTTPS_ON = { HTTPS_PORT: '0', PUBLIC_URL: '' }
const { server } = await portal({ ...HTTPS_ON, ...MEDIA_ON })

/** Signs in by https, and returns what a browser would send from then on. */
async function signIn({ name, password }: Person): Promise<{ cookie: string; attributes: string[] }> {
  const { status, headers } = await askHttps(server, 'POST', '/portal/v1/sessions', { body: { name, password } })
  expect(status).toBe(201)
  const [cookie = '', ...attributes] =
    headers['set-cookie']?.find((line) => !line.includes('-device='))?.split('; ') ?? []
  return { cookie, attributes }
}

describe('the https listener', () => {
  test('serves the portal, with a policy for the sockets of the address that was opened', async () => {
    const { url } = await httpsOf(server)
    const { status, headers } = await askHttps(server, 'GET', '/healthz')
    expect(status).toBe(200)
    expect(headers['content-security-policy']).toContain(`connect-src 'self' ${url.replace('https', 'wss')};`)
    expect(headers['strict-transport-security']).toBeUndefined()
    const plain = await fetch(`${server.url}/healthz`)
    expect(plain.headers.get('content-security-policy')).toContain(`connect-src 'self' ws://localhost:`)
  })

  test('sets a cookie that is sent only by https, and reads no other', async () => {
    const { owner } = await channelFixture()
    const { cookie, attributes } = await signIn(owner)
    expect(cookie).toMatch(/^__Host-portico=/)
    expect(attributes).toContain('Secure')
    expect(await askHttps(server, 'GET', '/portal/v1/session', { cookie })).toMatchObject({ status: 200 })
    expect(await askHttps(server, 'GET', '/portal/v1/session', { cookie: owner.cookie })).toMatchObject({ status: 204 })
    const planted = cookie.replace('__Host-', '')
    expect(await askHttps(server, 'GET', '/portal/v1/session', { cookie: planted })).toMatchObject({ status: 204 })
    expect(await askHttps(server, 'DELETE', '/portal/v1/sessions/current', { cookie })).toMatchObject({ status: 204 })
    expect(await askHttps(server, 'GET', '/portal/v1/session', { cookie })).toMatchObject({ status: 204 })
  })

  test.each([
    ['a foreign site', () => 'https://evil.example'],
    ['a foreign name that leads here', (port: string) => `https://evil.example:${port}`],
    ['another port', () => 'https://127.0.0.1:1'],
    ['the same address without encryption', (port: string) => `http://127.0.0.1:${port}`],
    ['nowhere', () => 'null'],
  ])('refuses a change from %s', async (_, originAt) => {
    const { port } = new URL((await httpsOf(server)).url)
    const origin = originAt(port)
    const body = { name: 'Nobody', password: 'wrong' }
    expect(await askHttps(server, 'POST', '/portal/v1/sessions', { body, origin })).toMatchObject({
      status: 403,
      body: { reason: 'foreign_origin' },
    })
  })

  test.each([
    'evil.example',
    'evil.example:443',
    '127.0.0.1',
    '127.0.0.1:1',
    'localhost.evil.example',
    'a b; script-src *',
  ])('answers nothing to the host %s', async (host) => {
    const { url } = await httpsOf(server)
    for (const path of ['/', '/healthz', '/portal/v1/instance', '/api/v1/me']) {
      const answer = await askHttps(server, 'GET', path, { host })
      expect(answer).toMatchObject({ status: 400, body: { field: 'host', message: `host: must be that of ${url}` } })
      expect(answer.headers['content-security-policy']).not.toContain('evil')
    }
  })

  test('takes every name of its certificate', async () => {
    const { port } = new URL((await httpsOf(server)).url)
    for (const host of ['localhost', '127.0.0.1', '[::1]', 'LOCALHOST']) {
      const origin = `https://${host.toLowerCase()}:${port}`
      const body = { name: 'Nobody', password: 'wrong' }
      const answer = await askHttps(server, 'POST', '/portal/v1/sessions', { body, origin, host: `${host}:${port}` })
      expect(answer).toMatchObject({ status: 401 })
    }
  })

  test('opens the event socket for a page of its own, and for no other name that leads here', async () => {
    const { owner } = await channelFixture()
    const { url, ca } = await httpsOf(server)
    const { cookie } = await signIn(owner)
    const connectFrom = async (origin: string, host = new URL(origin).host): Promise<object> => {
      const socket = new WebSocket(`${url.replace('https', 'wss')}/connection/websocket`, {
        ca,
        headers: { origin, cookie, host },
      })
      onTestFinished(() => socket.terminate())
      await once(socket, 'open')
      const answered = Promise.race([once(socket, 'message'), once(socket, 'close')])
      socket.send(JSON.stringify({ id: 1, connect: {} }))
      const [first] = (await answered) as [Buffer | number]
      return typeof first === 'number' ? { closed: first } : (JSON.parse(first.toString()) as object)
    }
    expect(await connectFrom(url)).toMatchObject({ id: 1, connect: {} })
    const evil = `https://evil.example:${new URL(url).port}`
    await expect(connectFrom(evil)).rejects.toThrow('400')
    expect(await connectFrom(evil, new URL(url).host)).toEqual({ closed: 3500 })
  })

  test('opens the signaling socket of a voice room', async () => {
    const { owner, room } = await channelFixture({ room: 'voice' })
    const { cookie } = await signIn(owner)
    const { url, ca } = await httpsOf(server)
    const join = { cookie, body: { channelId: room.channelId } }
    const { body } = await askHttps(server, 'POST', `/portal/v1/rooms/${room.id}/voice`, join)
    const session = body as VoiceSession
    expect(session.url).toBe('/')
    const socket = new WebSocket(`${url.replace('https', 'wss')}/rtc?access_token=${session.token}`, { ca })
    onTestFinished(() => socket.terminate())
    await once(socket, 'message')
  })

  test('is the address in invitations, and not that of keys for programs on this machine', async () => {
    const { owner, at, newRoom } = await channelFixture()
    const { url } = await httpsOf(server)
    const made = expectOk(await owner.post<Invitation>(`${at}/invitations`, {}))
    expect(made.url).toBe(`${url}/invite/${made.code}`)
    expect(expectOk(await owner.get<{ invitations: Invitation[] }>(`${at}/invitations`)).invitations).toEqual([made])
    const room = await newRoom('stream')
    const key = expectOk(await owner.get<StreamKey>(`/rooms/${room.id}/stream-key`))
    expect(key.url).toBe(`${server.services.config.PUBLIC_URL}/whip/v1`)
  })

  test('leaves links to a public address alone', async () => {
    const elsewhere = await startServer({ HTTPS_PORT: '0', PUBLIC_URL: 'https://chat.example' })
    expect(elsewhere.services.linkBase()).toBe('https://chat.example')
  })

  test('keeps the issuer of sign-ins', async () => {
    const { body } = await askHttps(server, 'GET', '/.well-known/openid-configuration')
    expect(body).toMatchObject({ issuer: server.services.config.PUBLIC_URL })
  })

  test('answers invalid HTTP in the error format, and hangs up on what is not TLS', async () => {
    const { url, ca } = await httpsOf(server)
    const port = Number(new URL(url).port)
    const encrypted = connectTls({ host: '127.0.0.1', port, ca })
    encrypted.end('KNOCK KNOCK\r\n\r\n')
    expect(await text(encrypted)).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n[^]*"status":"error"/)
    const plain = connect(port, '127.0.0.1')
    plain.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
    expect(await text(plain)).not.toContain('HTTP/1.1 200')
    expect(await askHttps(server, 'GET', '/healthz')).toMatchObject({ status: 200 })
  })

  test('finishes requests in progress when the server stops, and accepts no new ones', async () => {
    const stopping = await startServer(HTTPS_ON)
    const { url, ca } = await httpsOf(stopping)
    const port = Number(new URL(url).port)
    const body = JSON.stringify({ name: 'Nobody', password: 'wrong' })
    const socket = connectTls({ host: '127.0.0.1', port, ca })
    socket.write(
      `POST /portal/v1/sessions HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nOrigin: ${url}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
    )
    expect(await askHttps(stopping, 'GET', '/healthz')).toMatchObject({ status: 200 })
    const closing = stopping.close()
    await expect
      .poll(() => askHttps(stopping, 'GET', '/healthz').then(({ status }) => status, String))
      .toContain('ECONNREFUSED')
    socket.write(body.slice(5))
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 401 /)
    await closing
  })

  test('refuses a port that is taken, unless it may choose another', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void other.close())
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    await expect(startServer({ HTTPS_PORT: String(port) })).rejects.toThrow(`HTTPS_PORT=${port} is taken`)
    const [one, two] = [await startServer({ HTTPS_PORT: 'auto' }), await startServer({ HTTPS_PORT: 'auto' })]
    expect((await httpsOf(one)).url).not.toBe((await httpsOf(two)).url)
    expect(await askHttps(two, 'GET', '/healthz')).toMatchObject({ status: 200 })
  })

  test('is off unless it is turned on', async () => {
    for (const settings of [{}, { HTTPS_PORT: 'off' }])
      expect((await startServer(settings)).services.https).toBeUndefined()
  })
})
