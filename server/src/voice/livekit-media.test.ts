import { TokenVerifier } from 'livekit-server-sdk'
import { describe, expect, test } from 'vitest'
import { MEDIA_KEY, MediaServer } from '../../test/media-server.ts'
import { readConfig } from '../config/config.ts'
import { livekitConfig } from './livekit-config.ts'
import { livekitMedia } from './livekit-media.ts'

async function mediaServer() {
  const server = await MediaServer.start()
  const config = livekitConfig(readConfig(server.settings))
  if (!config) throw new Error('no LiveKit server is configured')
  return { server, media: livekitMedia(config) }
}

const session = { roomId: 'room', identity: 'ada', canPublish: false }

describe('a LiveKit server', () => {
  test('removes and mutes a participant of a room', async () => {
    const { server, media } = await mediaServer()
    server.connect('room', 'ada')
    await media.remove('room', 'ada')
    await media.mute(session)
    await media.move('ada', 'room', 'other room')
    const { heard } = server
    expect(heard.map(({ method, body }) => [method, body['room'], body['identity']])).toEqual([
      ['RemoveParticipant', 'room', 'ada'],
      ['UpdateParticipant', 'room', 'ada'],
      ['RemoveParticipant', 'room', 'ada'],
    ])
    expect(heard[1]?.body['permission']).toEqual({ canSubscribe: true })
    const verifier = new TokenVerifier(MEDIA_KEY.LIVEKIT_API_KEY, MEDIA_KEY.LIVEKIT_API_SECRET)
    expect((await verifier.verify(heard[0]?.token ?? '')).video).toMatchObject({ roomAdmin: true, room: 'room' })
  })

  test('may not know a participant who never connected, but must respond', async () => {
    const { server, media } = await mediaServer()
    await expect(media.remove('room', 'ada')).resolves.toBeUndefined()
    server.broken = true
    await expect(media.mute(session)).rejects.toThrow('out of order')
  })

  test('reports who is connected where, and who may publish', async () => {
    const { server, media } = await mediaServer()
    server.connect('room', 'ada')
    server.connect('other room', 'bob', { state: 'JOINED', permission: { canSubscribe: true } })
    expect(await media.connections()).toEqual([
      { roomId: 'room', identity: 'ada', hasMedia: true, canPublish: true, isLive: false },
      { roomId: 'other room', identity: 'bob', hasMedia: false, canPublish: false, isLive: false },
    ])
    expect(livekitConfig(readConfig({}))).toBeUndefined()
  })
})
