import type { OwnChannel, Room } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { expectOk, channelFixture } from '../../test/channel-fixture.ts'

describe('leaveChannel', () => {
  test('removes roles and admissions and keeps a mute', async () => {
    const { at, room, owner, people, give, newRole } = await channelFixture({ people: 1 })
    const [ada] = people
    await give(ada, 'CHANNEL_MODERATOR', await newRole('Night watch', ['kick_member']))
    const den = expectOk(await owner.post<Room>(`${at}/rooms`, { name: 'den', type: 'text', private: true }))
    expectOk(await owner.put(`${at}/rooms/${den.id}/admissions`, { roleIds: [], memberIds: [ada.id] }))
    expectOk(await owner.put(`${at}/members/${ada.id}/chat-mute`, {}))

    expect((await ada.delete(`${at}/membership`)).status).toBe(204)
    expect((await ada.get(`${at}/rooms`)).status).toBe(403)
    expect(expectOk(await owner.get<OwnChannel>('/channels'))).toMatchObject({ channels: [{ memberCount: 1 }] })

    expect(expectOk(await ada.post(`${at}/join`))).toMatchObject({ role: { systemName: 'CHANNEL_MEMBER' } })
    const { rooms } = expectOk(await ada.get<{ rooms: Room[] }>(`${at}/rooms`))
    expect(rooms.map(({ name }) => name)).not.toContain('den')
    const message = { channelId: room.channelId, text: 'hello again' }
    expect((await ada.post(`/rooms/${room.id}/messages`, message)).status).toBe(403)
    expectOk(await owner.delete(`${at}/members/${ada.id}/chat-mute`))
    expect((await ada.post(`/rooms/${room.id}/messages`, message)).status).toBe(201)
  })

  test('is not for the owner', async () => {
    const { at, owner } = await channelFixture()
    expect(await owner.delete(`${at}/membership`)).toMatchObject({
      status: 422,
      body: { reason: 'owner_cannot_leave' },
    })
  })
})
