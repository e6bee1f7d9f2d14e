import { isDeepStrictEqual } from 'node:util'
import { describe, expect, test } from 'vitest'
import { expectOk, channelFixture } from '../../test/channel-fixture.ts'

describe('listRoomAccess', () => {
  test('lists the rooms that the caller sees, for members who manage rooms or roles', async () => {
    const { at, owner, people, room, role, newRole, newRoom, give } = await channelFixture({ people: 2 })
    const [ada, boris] = people
    const closet = await newRoom('text', { private: true })
    const member = await role('CHANNEL_MEMBER')
    await give(ada, 'CHANNEL_MEMBER', await newRole('Roles', ['manage_roles']))
    expectOk(await owner.put(`${at}/rooms/${room.id}/overrides/${member.id}`, { allow: [], deny: ['react_text_msg'] }))

    const inRoom = {
      roomId: room.id,
      overrides: [{ roleId: member.id, allow: [], deny: ['react_text_msg'] }],
      admittedRoleIds: [],
      admittedMembers: [],
    }
    const inCloset = {
      roomId: closet.id,
      overrides: [],
      admittedRoleIds: [],
      admittedMembers: [{ id: owner.id, name: owner.name }],
    }
    const { rooms } = expectOk(await owner.get<{ rooms: unknown[] }>(`${at}/room-access`))
    expect(rooms).toEqual(expect.arrayContaining([inRoom, inCloset]))
    const seen = expectOk(await ada.get<{ rooms: unknown[] }>(`${at}/room-access`)).rooms
    expect(seen).toEqual(rooms.filter((one) => !isDeepStrictEqual(one, inCloset)))
    expect(await boris.get(`${at}/room-access`)).toMatchObject({ status: 403, body: { requiredRight: 'manage_roles' } })
  })
})
