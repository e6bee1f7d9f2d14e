import type { Output, RoomAccess } from '@portico/contract'
import type * as api from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { newId } from '../operations/ids.ts'
import { expectOk, channelFixture } from '../../test/channel-fixture.ts'

type Rooms = Output<typeof api.listRooms>

describe('setRoomOverride', () => {
  test('replaces the override with each call, and two empty lists remove it', async () => {
    const { at, room, owner, role } = await channelFixture()
    const bot = await role('CHANNEL_BOT')
    const set = (allow: string[], deny: string[]) =>
      owner.put<RoomAccess>(`${at}/rooms/${room.id}/overrides/${bot.id}`, { allow, deny })

    expect(expectOk(await set(['pin_text_msg'], ['write_text_room'])).overrides).toEqual([
      { roleId: bot.id, allow: ['pin_text_msg'], deny: ['write_text_room'] },
    ])
    expect(expectOk(await set([], ['react_text_msg'])).overrides).toEqual([
      { roleId: bot.id, allow: [], deny: ['react_text_msg'] },
    ])
    expect(expectOk(await set([], [])).overrides).toEqual([])
    expect(await set(['pin_text_msg'], ['pin_text_msg'])).toMatchObject({ status: 400, body: { field: 'deny' } })
    expect((await set(['manage_roles'], [])).status).toBe(400)
  })

  test('shows as writeRestricted when it denies writing to members', async () => {
    const { at, room, owner, role } = await channelFixture()
    const member = await role('CHANNEL_MEMBER')
    const restricted = async () =>
      expectOk(await owner.get<Rooms>(`${at}/rooms`)).rooms.find(({ id }) => id === room.id)?.writeRestricted
    expectOk(await owner.put(`${at}/rooms/${room.id}/overrides/${member.id}`, { allow: [], deny: ['write_text_room'] }))
    expect(await restricted()).toBe(true)
    expectOk(await owner.put(`${at}/rooms/${room.id}/overrides/${member.id}`, { allow: [], deny: [] }))
    expect(await restricted()).toBe(false)
  })

  test('accepts only roles below the caller’s, and rights that the caller has', async () => {
    const { at, room, people, give, newRole, role } = await channelFixture({ people: 1 })
    const [ada] = people
    const own = await newRole('Own', ['manage_roles'])
    const low = await newRole('Low', [])
    await give(ada, 'CHANNEL_MEMBER', own)
    const set = (roleId: string, allow: string[], deny: string[] = []) =>
      ada.put(`${at}/rooms/${room.id}/overrides/${roleId}`, { allow, deny })

    for (const above of [own, await role('CHANNEL_MODERATOR'), await role('CHANNEL_OWNER')]) {
      expect(await set(above.id, [], ['write_text_room'])).toMatchObject({ status: 403, body: { reason: 'outranked' } })
    }
    expect(await set(low.id, ['pin_text_msg'])).toMatchObject({ status: 403, body: { requiredRight: 'pin_text_msg' } })
    expect((await set(low.id, ['write_text_room'], ['pin_text_msg'])).status).toBe(200)
    expect(await set(newId(), [])).toMatchObject({ status: 422, body: { reason: 'no_such_role' } })
  })
})
