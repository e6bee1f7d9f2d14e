import type { VoiceSession } from '@portico/contract'
import { once } from 'node:events'
import { describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket, type ClientOptions } from 'ws'
import { channelFixture, expectOk, portal } from '../../test/channel-fixture.ts'
import { eventually } from '../../test/eventually.ts'
import { freePort } from '../../test/free-port.ts'
import { SignalClient } from '../../../media/test/signal-client.ts'
import { MEDIA_ON } from '../../test/start-server.ts'
import { mintMediaToken } from '../voice/media-token.ts'

// One test restarts the media server, which needs the same port again.
const { server } = await portal({ ...MEDIA_ON, MEDIA_PORT: String(await freePort()) })
const rtc = `${server.url.replace('http', 'ws')}/rtc`

/** Opens a signaling socket; undefined with the status that refused it. */
async function connect(address: string, options: ClientOptions = {}) {
  const socket = new WebSocket(address, options)
  onTestFinished(() => socket.terminate())
  const refused = new Promise<number>((resolve) => {
    socket.on('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0))
  })
  const client = new SignalClient((bytes) => socket.send(bytes))
  socket.on('message', (bytes: Buffer) => client.deliver(bytes))
  socket.on('close', (code) => (client.closed = code))
  socket.on('error', () => undefined)
  const status = await Promise.race([refused, once(socket, 'open').then(() => 101)])
  return { client, socket, status }
}

/** Someone in a voice room who has not connected yet. */
async function inRoom() {
  const { owner, people, room, at, newRoom } = await channelFixture({ people: 1, room: 'voice' })
  const [ada] = people
  const join = async (): Promise<string> =>
    expectOk(await ada.post<VoiceSession>(`/rooms/${room.id}/voice`, { channelId: room.channelId })).token
  return { owner, ada, room, at, newRoom, join, token: await join() }
}

describe('a signaling socket', () => {
  test('opens with a token in the query or in a header', async () => {
    const { ada, room, join, token } = await inRoom()
    const { client } = await connect(`${rtc}?access_token=${token}`)
    const joined = await client.next('join')
    expect(joined).toMatchObject({ room: { name: room.id }, participant: { identity: ada.id, name: ada.name } })
    const headers = { authorization: `Bearer ${await join()}` }
    const again = await connect(rtc, { headers })
    expect((await again.client.next('join')).participant?.identity).toBe(ada.id)
    await client.next('leave')
  })

  test('is refused without a valid token', async () => {
    const { token } = await inRoom()
    for (const bad of ['', '?access_token=', '?access_token=a.b.c', `?access_token=${token}x`]) {
      expect((await connect(rtc + bad)).status).toBe(401)
    }
    const other = await mintMediaToken(
      { apiKey: 'devkey', apiSecret: 'a secret of thirty-two characters' },
      { roomId: 'room', identity: 'ada', name: 'Ada', canPublish: true },
    )
    expect((await connect(`${rtc}?access_token=${other}`)).status).toBe(401)
  })

  test('is refused after the voice session has ended', async () => {
    const { ada, room, token } = await inRoom()
    expectOk(await ada.delete(`/rooms/${room.id}/voice`))
    expect((await connect(`${rtc}?access_token=${token}`)).status).toBe(401)
    const validated = await fetch(`${server.url}/rtc/validate?access_token=${token}`)
    expect(validated.status).toBe(401)
  })

  test('ends when the voice session does, and is muted as its member is', async () => {
    const { owner, ada, at, room, token, join } = await inRoom()
    const { client } = await connect(`${rtc}?access_token=${token}`)
    await client.next('join')
    expectOk(await owner.put(`${at}/members/${ada.id}/voice-mute`, {}))
    const muted = await client.next('update', ({ participants: [first] }) => first?.permission?.canPublish === false)
    expect(muted.participants[0]?.identity).toBe(ada.id)
    expectOk(await owner.delete(`${at}/members/${ada.id}/voice`))
    await client.next('leave')
    await eventually(() => client.closed).toBe(1000)

    // The token was issued before the mute.
    await join()
    const again = await connect(`${rtc}?access_token=${token}`)
    expect((await again.client.next('join')).participant?.permission?.canPublish).toBe(false)
    expect(await server.services.embeddedMedia?.connections()).toContainEqual({
      roomId: room.id,
      identity: ada.id,
      hasMedia: false,
      canPublish: false,
      isLive: false,
    })
  })

  test('gets a new token while it is open', async () => {
    const { token } = await inRoom()
    const { client } = await connect(`${rtc}?access_token=${token}`)
    const fresh = await client.next('refreshToken')
    expect(fresh).not.toBe(token)
    expect((await connect(`${rtc}?access_token=${fresh}`)).status).toBe(101)
  })

  test('is closed for a frame that is too large', async () => {
    const { token } = await inRoom()
    const { client, socket } = await connect(`${rtc}?access_token=${token}`)
    await client.next('join')
    socket.send(Buffer.alloc(300 * 1024))
    await eventually(() => client.closed).toBe(1009)
  })

  test('of the newer protocol does not exist, which makes clients use this one', async () => {
    const { token } = await inRoom()
    expect((await connect(`${rtc}/v1?access_token=${token}`)).status).toBe(404)
    const response = await fetch(`${server.url}/rtc/v1/validate?access_token=${token}`)
    expect(response.status).toBe(404)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
  })

  test('can be asked for with HTTP, from pages of other sites too', async () => {
    const { token } = await inRoom()
    const response = await fetch(`${server.url}/rtc/validate?access_token=${token}`)
    expect([response.status, await response.text()]).toEqual([200, 'success'])
    const refused = await fetch(`${server.url}/rtc/validate`)
    expect(refused.status).toBe(401)
    for (const answer of [response, refused]) expect(answer.headers.get('access-control-allow-origin')).toBe('*')
  })

  test('is refused while the media worker is being restarted, and rooms end with it', async () => {
    const { token } = await inRoom()
    const { client } = await connect(`${rtc}?access_token=${token}`)
    await client.next('join')
    const { embeddedMedia } = server.services
    await embeddedMedia?.stop()
    expect((await connect(`${rtc}?access_token=${token}`)).status).toBe(504)
    await expect(server.services.embeddedMedia?.connections()).rejects.toThrow('restarted')
    await embeddedMedia?.start()
    expect((await connect(`${rtc}?access_token=${token}`)).status).toBe(101)
  })
})

describe('media metrics', () => {
  test('count people, tracks and packets', async () => {
    const { token } = await inRoom()
    const { client } = await connect(`${rtc}?access_token=${token}`)
    await client.next('join')
    const text = await server.services.metrics.text()
    expect(text).toMatch(/^portico_media_participants [1-9]\d*$/m)
    expect(text).toMatch(/^portico_media_up 1$/m)
    for (const name of ['rooms', 'tracks', 'packets_total', 'bytes_total', 'packets_lost_total', 'cpu_seconds_total']) {
      expect(text).toContain(`portico_media_${name}`)
    }
  })
})

test('a portal that reports its health names the addresses of the media server', async () => {
  const { administrator } = await portal()
  const health = expectOk(await administrator.get('/administration/health'))
  expect(health).toMatchObject({ media: 'ready', mediaAddresses: ['127.0.0.1'] })
})
