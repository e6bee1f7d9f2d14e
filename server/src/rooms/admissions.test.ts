import type { Output, Room, RoomAccess } from '@portico/contract'
import type * as api from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { newId } from '../operations/ids.ts'
import type { Person } from '../../test/person.ts'
import { expectOk, channelFixture } from '../../test/channel-fixture.ts'

type Rooms = Output<typeof api.listRooms>

async function roomNames(person: Person, at: string): Promise<string[]> {
  return expectOk(await person.get<Rooms>(`${at}/rooms`)).rooms.map(({ name }) => name)
}

describe('a private room', () => {
  test('is visible only to its creator, the owner and members admitted by name or role', async () => {
    const { at, owner, people, give, newRole } = await channelFixture({ people: 4 })
    const [maker, byName, byRole, other] = people
    await give(maker, 'CHANNEL_ADMIN')
    const watch = await newRole('Watch', [])
    await give(byRole, 'CHANNEL_MEMBER', watch)

    const den = expectOk(await maker.post<Room>(`${at}/rooms`, { name: 'den', type: 'text', private: true }))
    expect(den.private).toBe(true)
    expect(await roomNames(maker, at)).toContain('den')
    expect(await roomNames(owner, at)).toContain('den')
    for (const person of [byName, byRole, other]) expect(await roomNames(person, at)).not.toContain('den')

    const admissions = `${at}/rooms/${den.id}/admissions`
    const access = expectOk(
      await maker.put<RoomAccess>(admissions, { roleIds: [watch.id], memberIds: [maker.id, byName.id.toUpperCase()] }),
    )
    expect(access.admittedRoleIds).toEqual([watch.id])
    expect(access.admittedMembers.map(({ id }) => id).toSorted()).toEqual([maker.id, byName.id].toSorted())
    for (const person of [byName, byRole]) expect(await roomNames(person, at)).toContain('den')
    expect(await roomNames(other, at)).not.toContain('den')

    expectOk(await maker.put(admissions, { roleIds: [], memberIds: [maker.id] }))
    for (const person of [byName, byRole]) expect(await roomNames(person, at)).not.toContain('den')
  })

  test('is never listed for bots, not even for one that it admits', async () => {
    const { at, room, owner, bots, newRoom } = await channelFixture({ bots: 1 })
    const [bot] = bots
    const den = await newRoom('voice', { private: true })
    expectOk(await owner.put(`${at}/rooms/${den.id}/admissions`, { roleIds: [], memberIds: [bot.id] }))

    const { rooms } = expectOk(await bot.get<Rooms>(`${at}/rooms`))
    expect(rooms.map(({ id }) => id)).toContain(room.id)
    expect(rooms.map(({ id }) => id)).not.toContain(den.id)
    expect(rooms.filter((room) => 'private' in room)).toEqual([])
  })

  test('does not exist for anyone else, whatever their rights', async () => {
    const { at, owner, people, give } = await channelFixture({ people: 1 })
    const [admin] = people
    await give(admin, 'CHANNEL_ADMIN')
    const den = expectOk(await owner.post<Room>(`${at}/rooms`, { name: 'den', type: 'text', private: true }))
    const place = `${at}/rooms/${den.id}`

    const unknown = await admin.patch(`${at}/rooms/${newId()}`, { name: 'mine' })
    expect(unknown).toMatchObject({ status: 422, body: { reason: 'no_such_room' } })
    for (const answer of [
      await admin.patch(place, { name: 'mine' }),
      await admin.delete(place),
      await admin.get(`${place}/access`),
      await admin.put(`${place}/admissions`, { roleIds: [], memberIds: [admin.id] }),
      await admin.put(`${place}/overrides/${newId()}`, { allow: [], deny: [] }),
    ]) {
      expect(answer).toMatchObject({ status: 422, body: unknown.body as object })
    }
    expect(await admin.put(`${at}/order`, { rooms: [{ id: den.id }] })).toMatchObject({
      status: 422,
      body: { reason: 'no_such_room' },
    })
  })

  test('keeps admitting the member who made it private', async () => {
    const { at, room, people, give } = await channelFixture({ people: 1 })
    const [admin] = people
    await give(admin, 'CHANNEL_ADMIN')
    expectOk(await admin.patch(`${at}/rooms/${room.id}`, { private: true }))
    expect((await admin.patch(`${at}/rooms/${room.id}`, { private: false })).status).toBe(200)
  })

  test('rejects strangers and roles of other channels', async () => {
    const { at, room, owner, newPerson } = await channelFixture()
    const stranger = await newPerson()
    const foreign = await (await channelFixture()).newRole('Foreign', [])
    const admissions = `${at}/rooms/${room.id}/admissions`
    expect(await owner.put(admissions, { roleIds: [], memberIds: [stranger.id] })).toMatchObject({
      status: 422,
      body: { reason: 'not_a_member' },
    })
    expect(await owner.put(admissions, { roleIds: [foreign.id], memberIds: [] })).toMatchObject({
      status: 422,
      body: { reason: 'no_such_role' },
    })
  })
})
