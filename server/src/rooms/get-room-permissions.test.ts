import { DEFAULT_ROLES, RIGHTS, type RoomPermissions } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { expectRefusal } from '../../test/expect-refusal.ts'
import { expectOk, channelFixture } from '../../test/channel-fixture.ts'

describe('getRoomPermissions', () => {
  test('distinguishes owner and member, and applies the room’s overrides', async () => {
    const { owner, people, room, newRoom } = await channelFixture({ people: 1 })
    const [member] = people
    const rightsOf = async (person: typeof owner, roomId: string): Promise<string[]> =>
      expectOk(await person.get<RoomPermissions>(`/rooms/${roomId}/permissions`)).rights.toSorted()

    expect(await rightsOf(owner, room.id)).toEqual(RIGHTS.toSorted())
    expect(await rightsOf(member, room.id)).toEqual(DEFAULT_ROLES.CHANNEL_MEMBER.rights.toSorted())
    const news = await newRoom('text', { writeRestricted: true })
    expect(await rightsOf(member, news.id)).not.toContain('write_text_room')
  })

  test('shows a mute with its end, and null once it is lifted', async () => {
    const { owner, people, at, room } = await channelFixture({ people: 1 })
    const [member] = people
    const permissions = async (): Promise<RoomPermissions> =>
      expectOk(await member.get<RoomPermissions>(`/rooms/${room.id}/permissions`))
    expect(await permissions()).toMatchObject({ chatMute: null, voiceMute: null })

    const { mutedUntil } = expectOk(
      await owner.put<{ mutedUntil: string }>(`${at}/members/${member.id}/chat-mute`, { durationSec: 600 }),
    )
    expectOk(await owner.put(`${at}/members/${member.id}/voice-mute`, {}))
    const muted = await permissions()
    expect(muted).toMatchObject({ chatMute: { until: mutedUntil }, voiceMute: { until: null } })
    expect(muted.rights).not.toContain('write_text_room')
    expect(muted.rights).not.toContain('talk_voice_room')

    expectOk(await owner.delete(`${at}/members/${member.id}/chat-mute`))
    expect(await permissions()).toMatchObject({ chatMute: null })
  })

  test('does not reveal a private room to members whom it does not admit', async () => {
    const { people, newRoom } = await channelFixture({ people: 1 })
    const hidden = await newRoom('text', { private: true })
    expectRefusal(await people[0].get(`/rooms/${hidden.id}/permissions`), 'unprocessable', { reason: 'no_such_room' })
  })
})
