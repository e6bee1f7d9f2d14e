import type { Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { expectOk, channelFixture } from '../../test/channel-fixture.ts'

type Rooms = Output<typeof api.listRooms>

describe('room managers who rank below others', () => {
  /** Ada manages rooms with a role just above ordinary members; Ben is an administrator. */
  async function ranked() {
    const made = await channelFixture({ people: 2 })
    const [ada, ben] = made.people
    const keeper = await made.newRole('Keeper', ['manage_rooms', 'manage_roles'])
    const low = await made.newRole('Low', [])
    expectOk(await made.owner.put(`${made.at}/roles/order`, { roleIds: [keeper.id, low.id] }))
    await made.give(ada, 'CHANNEL_MEMBER', keeper)
    await made.give(ben, 'CHANNEL_ADMIN', low)
    const sees = async (who: typeof ada, roomId: string) =>
      expectOk(await who.get<Rooms>(`${made.at}/rooms`)).rooms.some(({ id }) => id === roomId)
    return { ...made, ada, ben, keeper, low, sees }
  }
  const shutOut = { status: 403, body: { reason: 'higher_rank_shut_out' } }

  test('make a room private without excluding anyone of their rank or above', async () => {
    const { at, room, ada, ben, people, sees, newPerson } = await ranked()
    const member = await newPerson()
    expectOk(await member.post(`${at}/join`))
    expectOk(await ada.patch(`${at}/rooms/${room.id}`, { private: true }))
    expect(await Promise.all([...people, member].map((who) => sees(who, room.id)))).toEqual([true, true, false])
    expect((await ben.patch(`${at}/rooms/${room.id}`, { private: false })).status).toBe(200)
  })

  test('cannot exclude them from a private room, by role or by name', async () => {
    const { at, room, ada, ben, low, owner, role, sees } = await ranked()
    const admissions = `${at}/rooms/${room.id}/admissions`
    expectOk(await owner.patch(`${at}/rooms/${room.id}`, { private: true }))
    const admins = (await role('CHANNEL_ADMIN')).id
    for (const admits of [
      { roleIds: [admins], memberIds: [ada.id] },
      { roleIds: [low.id], memberIds: [ada.id] },
      { roleIds: [], memberIds: [ada.id, ben.id] },
    ]) {
      expectOk(await owner.put(admissions, admits))
      expect(await ada.put(admissions, { roleIds: [], memberIds: [ada.id] })).toMatchObject(shutOut)
      expect(await sees(ben, room.id)).toBe(true)
    }
    // Ben is still admitted another way.
    expectOk(await ada.put(admissions, { roleIds: [admins], memberIds: [ada.id] }))
    expectOk(await ben.put(admissions, { roleIds: [admins], memberIds: [] }))
    expect(await sees(ada, room.id)).toBe(false)
  })

  test('cannot exclude them by denying entry to a lower role that they also have', async () => {
    const { at, room, ada, ben, low, owner } = await ranked()
    const override = `${at}/rooms/${room.id}/overrides/${low.id}`
    expect(await ada.put(override, { allow: [], deny: ['read_text_room'] })).toMatchObject(shutOut)
    expect((await ben.get(`/rooms/${room.id}/messages?channelId=${room.channelId}`)).status).toBe(200)
    expect((await ada.put(override, { allow: [], deny: ['react_text_msg'] })).status).toBe(200)
    expect((await owner.put(override, { allow: [], deny: ['read_text_room'] })).status).toBe(200)
  })

  test('cannot delete a private room that admits someone above them', async () => {
    const { at, newRoom, ada, ben, keeper, owner } = await ranked()
    const room = await newRoom('text', { private: true })
    const here = `${at}/rooms/${room.id}`
    expectOk(await owner.put(`${here}/admissions`, { roleIds: [keeper.id], memberIds: [ben.id] }))
    expect(await ada.delete(here)).toMatchObject({ status: 403, body: { reason: 'higher_rank_admitted' } })
    expectOk(await owner.put(`${here}/admissions`, { roleIds: [keeper.id], memberIds: [] }))
    expect((await ada.delete(here)).status).toBe(204)
  })
})
