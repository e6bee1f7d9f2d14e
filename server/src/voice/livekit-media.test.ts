import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { TokenVerifier } from 'livekit-server-sdk'
import { afterAll, describe, expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { livekitMedia } from './livekit-media.ts'

const KEY = { LIVEKIT_API_KEY: 'portico', LIVEKIT_API_SECRET: 'a secret of thirty-two characters' }
const secret = { key: () => Buffer.alloc(32) } as never

interface Heard {
  readonly method: string
  readonly token: string
  readonly body: Record<string, unknown>
}

const servers: Server[] = []
afterAll(() => {
  for (const server of servers) server.close()
})

/** What a LiveKit server is asked over HTTP, answered with a status. */
async function mediaServer(answer: { status: number; body: object }) {
  const heard: Heard[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const token = request.headers.authorization?.replace('Bearer ', '') ?? ''
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>
      heard.push({ method: request.url?.split('/').at(-1) ?? '', token, body })
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body))
    })
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { heard, media: livekitMedia(readConfig({ ...KEY, LIVEKIT_URL: `ws://127.0.0.1:${port}` }), secret) }
}

const session = { roomId: 'room', identity: 'ada', name: 'Ada', canPublish: false }

describe('a LiveKit server', () => {
  test('is told to remove and to silence somebody, in the name of the room', async () => {
    const { heard, media } = await mediaServer({ status: 200, body: {} })
    await media.remove('room', 'ada')
    await media.mute(session)
    await media.move('ada', 'room', 'other room')
    expect(heard.map(({ method, body }) => [method, body['room'], body['identity']])).toEqual([
      ['RemoveParticipant', 'room', 'ada'],
      ['UpdateParticipant', 'room', 'ada'],
      ['RemoveParticipant', 'room', 'ada'],
    ])
    expect(heard[1]?.body['permission']).toEqual({ canSubscribe: true })
    const verifier = new TokenVerifier(KEY.LIVEKIT_API_KEY, KEY.LIVEKIT_API_SECRET)
    expect((await verifier.verify(heard[0]?.token ?? '')).video).toMatchObject({ roomAdmin: true, room: 'room' })
  })

  test('need not know somebody who never connected, but must answer', async () => {
    const absent = await mediaServer({ status: 404, body: { code: 'not_found', msg: 'no such participant' } })
    await expect(absent.media.remove('room', 'ada')).resolves.toBeUndefined()
    const broken = await mediaServer({ status: 500, body: { code: 'internal', msg: 'out of order' } })
    await expect(broken.media.mute(session)).rejects.toThrow('out of order')
  })
})
