import { createHash } from 'node:crypto'
import { AccessToken } from 'livekit-server-sdk'
import { describe, expect, test } from 'vitest'
import { eventually } from '../../test/eventually.ts'
import { MEDIA_KEY, MediaServer } from '../../test/media-server.ts'
import { startServer } from '../../test/start-server.ts'
import { expectOk, portal, channelFixture } from '../../test/channel-fixture.ts'

const mediaServer = await MediaServer.start()
await portal(mediaServer.settings)

/** A voice room that a member has joined and can connect to. */
async function voiceRoom() {
  const made = await channelFixture({ people: 1, room: 'voice' })
  const { server, people, at, room, channel } = made
  const [ada] = people
  expectOk(await ada.post(`/rooms/${room.id}/voice`, { channelId: channel.id }))
  return {
    ...made,
    ada,
    member: `${at}/members/${ada.id}`,
    /** Connects her with an older token that allows publishing, and reports it. */
    connect: async (roomId = room.id): Promise<void> => {
      mediaServer.connect(roomId, ada.id)
      expect(await mediaServer.report(server.url, roomId, ada.id)).toBe(204)
    },
    isConnected: (roomId = room.id) => mediaServer.connected(roomId).includes(ada.id),
    mayTalk: () => mediaServer.mayPublish(room.id, ada.id),
  }
}

describe('an outdated token', () => {
  test('does not connect a member who has left the room', async () => {
    const { ada, room, connect, isConnected } = await voiceRoom()
    expectOk(await ada.delete(`/rooms/${room.id}/voice`))
    await connect()
    expect(isConnected()).toBe(false)
  })

  test('does not connect a member who was disconnected or removed from the channel', async () => {
    const { owner, member, connect, isConnected } = await voiceRoom()
    expectOk(await owner.delete(`${member}/voice`))
    await connect()
    expect(isConnected()).toBe(false)
    expectOk(await owner.delete(member))
    await connect()
    expect(isConnected()).toBe(false)
  })

  test('does not connect a member to the room that they were moved out of', async () => {
    const { owner, member, newRoom, connect, isConnected } = await voiceRoom()
    const lounge = await newRoom('voice')
    expectOk(await owner.put(`${member}/room`, { roomId: lounge.id }))
    await connect()
    expect(isConnected()).toBe(false)
    await connect(lounge.id)
    expect(isConnected(lounge.id)).toBe(true)
  })

  test('does not connect a member to a room that no longer admits them', async () => {
    const { owner, at, room, connect, isConnected } = await voiceRoom()
    expectOk(await owner.patch(`${at}/rooms/${room.id}`, { private: true }))
    await connect()
    await eventually(isConnected).toBe(false)
  })

  test('does not let a muted member talk, but everyone else', async () => {
    const { owner, member, connect, isConnected, mayTalk } = await voiceRoom()
    await connect()
    expect([isConnected(), mayTalk()]).toEqual([true, true])
    expectOk(await owner.put(`${member}/voice-mute`))
    await connect()
    expect([isConnected(), mayTalk()]).toEqual([true, false])
  })
})

describe('POST /media/livekit', () => {
  test('ignores rooms and participants of other programs on the same media server', async () => {
    const { server, ada, room } = await voiceRoom()
    for (const [roomId, identity] of [
      [room.id, 'EG_recorder'],
      ['a room of another program', ada.id],
    ] as const) {
      mediaServer.connect(roomId, identity)
      expect(await mediaServer.report(server.url, roomId, identity)).toBe(204)
      expect(mediaServer.connected(roomId)).toContain(identity)
    }
  })

  test('accepts only requests signed with the media server’s key', async () => {
    const { server, ada, room } = await voiceRoom()
    expectOk(await ada.delete(`/rooms/${room.id}/voice`))
    mediaServer.connect(room.id, ada.id)
    const body = JSON.stringify({ event: 'participant_joined', room: { name: room.id } })
    const token = new AccessToken(MEDIA_KEY.LIVEKIT_API_KEY, MEDIA_KEY.LIVEKIT_API_SECRET)
    token.sha256 = createHash('sha256').update('another body').digest('base64')
    expect(await mediaServer.deliver(server.url, body)).toBe(401)
    expect(await mediaServer.deliver(server.url, body, 'no token')).toBe(401)
    expect(await mediaServer.deliver(server.url, body, await token.toJwt())).toBe(401)
    expect(await mediaServer.report(server.url, room.id, ada.id, 'another secret of thirty-two chars')).toBe(401)
  })

  test('answers 404 without a media server', async () => {
    const { url } = await startServer()
    expect(await mediaServer.report(url, 'room', 'ada')).toBe(404)
  })
})
