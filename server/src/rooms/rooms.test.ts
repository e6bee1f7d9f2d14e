import { isDeepStrictEqual } from 'node:util'
import { LIMITS, type AuditEntry, type Category, type Room, type RoomAccess } from '@portico/contract'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { newId } from '../operations/ids.ts'
import type { Person } from '../../test/person.ts'
import { expectOk, channelFixture } from '../../test/channel-fixture.ts'

interface Rooms {
  rooms: Room[]
  categories: Category[]
}

async function roomNames(person: Person, at: string): Promise<string[]> {
  return expectOk(await person.get<Rooms>(`${at}/rooms`)).rooms.map(({ name }) => name)
}

describe('createRoom', () => {
  test('adds a room of each type after the others', async () => {
    const { at, owner, channel } = await channelFixture()
    const category = expectOk(await owner.post<Category>(`${at}/categories`, { name: ' Work ' }))
    expect(category).toMatchObject({ name: 'Work', sort: 1 })

    const text = expectOk(
      await owner.post<Room>(`${at}/rooms`, {
        name: ' plans ',
        type: 'text',
        topic: ' Soon ',
        categoryId: category.id,
      }),
    )
    expect(text).toEqual({
      id: text.id,
      name: 'plans',
      type: 'text',
      categoryId: category.id,
      sort: 4,
      writeRestricted: false,
      private: false,
      topic: 'Soon',
    })
    const voice = expectOk(await owner.post<Room>(`${at}/rooms`, { name: 'call', type: 'voice', userLimit: 5 }))
    expect(voice).toMatchObject({ type: 'voice', sort: 5, userLimit: 5, users: [] })
    expectOk(await owner.post(`${at}/rooms`, { name: 'show', type: 'stream' }))

    const listed = expectOk(await owner.get<Rooms>(`${at}/rooms`))
    expect(listed.rooms.map(({ name }) => name)).toEqual(['general', 'Lounge', 'workshop', 'plans', 'call', 'show'])
    expect(listed.rooms).toContainEqual(text)
    expect(listed.rooms).toContainEqual(voice)
    expect(listed.categories).toEqual([category])
    expect(channel.memberCount).toBe(1)
  })

  test('rejects a category of another channel, and a user limit on a text room', async () => {
    const { at, owner } = await channelFixture()
    const elsewhere = await channelFixture()
    const foreign = expectOk(await elsewhere.owner.post<Category>(`${elsewhere.at}/categories`, { name: 'Theirs' }))
    for (const categoryId of [foreign.id, newId()]) {
      expect(await owner.post(`${at}/rooms`, { name: 'x', type: 'text', categoryId })).toMatchObject({
        status: 422,
        body: { reason: 'no_such_category' },
      })
    }
    expect(await owner.post(`${at}/rooms`, { name: 'x', type: 'text', userLimit: 3 })).toMatchObject({
      status: 422,
      body: { reason: 'wrong_room_type' },
    })
  })

  test('enforces the limit, also for concurrent requests', async () => {
    const { at, channel, server, owner } = await channelFixture()
    await sql`
      INSERT INTO rooms (id, channel_id, type, name, sort)
      SELECT gen_random_uuid(), ${channel.id}::uuid, 'text', 'One of many', n
      FROM generate_series(5, ${LIMITS.roomsOfChannel}::int) n`.execute(server.services.database.kysely)
    const answers = await Promise.all(
      [1, 2, 3].map((n) => owner.post(`${at}/rooms`, { name: `race ${n}`, type: 'text' })),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 422, 422])
  })

  test('requires the right', async () => {
    const { at, people } = await channelFixture({ people: 1 })
    expect(await people[0].post(`${at}/rooms`, { name: 'mine', type: 'text' })).toMatchObject({
      status: 403,
      body: { requiredRight: 'manage_rooms' },
    })
  })
})

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

describe('updateRoom', () => {
  test('keeps absent fields and writes the changes to the audit log', async () => {
    const { at, room, owner } = await channelFixture()
    const place = `${at}/rooms/${room.id}`
    const category = expectOk(await owner.post<Category>(`${at}/categories`, { name: 'Work' }))
    const changed = expectOk(await owner.patch<Room>(place, { name: 'forge', topic: 'Iron', categoryId: category.id }))
    expect(changed).toMatchObject({ name: 'forge', topic: 'Iron', categoryId: category.id, sort: room.sort })
    expect(expectOk(await owner.patch(place, { topic: 'Iron' }))).toEqual(changed)
    expect(expectOk(await owner.patch(place, { topic: '', categoryId: null }))).toMatchObject({
      topic: null,
      categoryId: null,
    })

    const { entries } = expectOk(await owner.get<{ entries: AuditEntry[] }>(`${at}/audit-log`))
    expect(entries.filter(({ action }) => action === 'room.updated').map(({ details }) => details)).toEqual([
      { topic: { from: 'Iron', to: null }, categoryId: { from: category.id, to: null } },
      {
        name: { from: 'workshop', to: 'forge' },
        topic: { from: null, to: 'Iron' },
        categoryId: { from: null, to: category.id },
      },
    ])
  })

  test('sets and removes the write restriction, and nothing else of the override', async () => {
    const { at, room, owner, role } = await channelFixture()
    const place = `${at}/rooms/${room.id}`
    const member = await role('CHANNEL_MEMBER')
    const overrides = async () => expectOk(await owner.get<RoomAccess>(`${place}/access`)).overrides

    expect(expectOk(await owner.patch<Room>(place, { writeRestricted: true })).writeRestricted).toBe(true)
    expect(await overrides()).toEqual([{ roleId: member.id, allow: [], deny: ['write_text_room'] }])
    expect(expectOk(await owner.patch<Room>(place, { writeRestricted: false })).writeRestricted).toBe(false)
    expect(await overrides()).toEqual([])

    const override = `${place}/overrides/${member.id}`
    expectOk(await owner.put(override, { allow: ['write_text_room', 'pin_text_msg'], deny: ['react_text_msg'] }))
    expectOk(await owner.patch(place, { writeRestricted: true }))
    expect(await overrides()).toEqual([
      { roleId: member.id, allow: ['pin_text_msg'], deny: ['react_text_msg', 'write_text_room'] },
    ])
    expectOk(await owner.patch(place, { writeRestricted: false }))
    expect(await overrides()).toEqual([{ roleId: member.id, allow: ['pin_text_msg'], deny: ['react_text_msg'] }])
  })

  test('does not find the room of another channel', async () => {
    const { at, owner } = await channelFixture()
    const { room: foreign } = await channelFixture()
    const missing = { status: 422, body: { reason: 'no_such_room' } }
    expect(await owner.patch(`${at}/rooms/${foreign.id}`, { name: 'mine' })).toMatchObject(missing)
    expect(await owner.delete(`${at}/rooms/${foreign.id}`)).toMatchObject(missing)
  })

  test('rejects a user limit on a text room and a category of another channel', async () => {
    const { at, room, owner } = await channelFixture()
    expect(await owner.patch(`${at}/rooms/${room.id}`, { userLimit: 2 })).toMatchObject({
      status: 422,
      body: { reason: 'wrong_room_type' },
    })
    expect(await owner.patch(`${at}/rooms/${room.id}`, { categoryId: newId() })).toMatchObject({
      status: 422,
      body: { reason: 'no_such_category' },
    })
  })
})

describe('deleteRoom', () => {
  test('deletes the room with its overrides and admissions', async () => {
    const { at, room, owner, role } = await channelFixture()
    const place = `${at}/rooms/${room.id}`
    expectOk(
      await owner.put(`${place}/overrides/${(await role('CHANNEL_BOT')).id}`, { allow: [], deny: ['write_text_room'] }),
    )
    expectOk(await owner.put(`${place}/admissions`, { roleIds: [], memberIds: [owner.id] }))
    expect((await owner.delete(place)).status).toBe(204)
    expect(await roomNames(owner, at)).toEqual(['general', 'Lounge'])
    expect((await owner.delete(place)).status).toBe(422)
  })
})

describe('categories', () => {
  test('are renamed, and keep their rooms when deleted', async () => {
    const { at, room, owner } = await channelFixture()
    const category = expectOk(await owner.post<Category>(`${at}/categories`, { name: 'Work' }))
    expectOk(await owner.patch(`${at}/rooms/${room.id}`, { categoryId: category.id }))
    const place = `${at}/categories/${category.id}`

    expect(expectOk(await owner.patch(place, { name: 'Play' }))).toEqual({ ...category, name: 'Play' })
    expect((await owner.delete(place)).status).toBe(204)
    expect(await owner.delete(place)).toMatchObject({ status: 422, body: { reason: 'no_such_category' } })

    const { rooms, categories } = expectOk(await owner.get<Rooms>(`${at}/rooms`))
    expect(categories).toEqual([])
    expect(rooms.find(({ id }) => id === room.id)?.categoryId).toBeNull()
  })

  test('are limited in number', async () => {
    const { at, channel, server, owner } = await channelFixture()
    await sql`
      INSERT INTO categories (id, channel_id, name, sort)
      SELECT gen_random_uuid(), ${channel.id}::uuid, 'One of many', n
      FROM generate_series(1, ${LIMITS.categoriesOfChannel}::int) n`.execute(server.services.database.kysely)
    expect(await owner.post(`${at}/categories`, { name: 'One more' })).toMatchObject({
      status: 422,
      body: { reason: 'too_many_categories' },
    })
  })
})

describe('sortRooms', () => {
  test('puts the listed rooms first and keeps the order of the others', async () => {
    const { at, room, owner } = await channelFixture()
    const [work, play] = [
      expectOk(await owner.post<Category>(`${at}/categories`, { name: 'Work' })),
      expectOk(await owner.post<Category>(`${at}/categories`, { name: 'Play' })),
    ]
    const { rooms } = expectOk(await owner.get<Rooms>(`${at}/rooms`))
    const lounge = rooms[1]

    expectOk(
      await owner.put(`${at}/order`, {
        rooms: [{ id: room.id.toUpperCase(), categoryId: play.id }, { id: lounge?.id }],
        categories: [play.id],
      }),
    )
    const after = expectOk(await owner.get<Rooms>(`${at}/rooms`))
    expect(after.rooms.map(({ name, sort, categoryId }) => [name, sort, categoryId])).toEqual([
      ['workshop', 1, play.id],
      ['Lounge', 2, null],
      ['general', 3, null],
    ])
    expect(after.categories.map(({ id, sort }) => [id, sort])).toEqual([
      [play.id, 1],
      [work.id, 2],
    ])
  })

  test('rejects rooms and categories of other channels, and duplicates', async () => {
    const { at, room, owner } = await channelFixture()
    const { room: foreign } = await channelFixture()
    const order = (body: object) => owner.put(`${at}/order`, body)
    const refused = (reason: string) => ({ status: 422, body: { reason } })
    expect(await order({ rooms: [{ id: foreign.id }] })).toMatchObject(refused('no_such_room'))
    expect(await order({ rooms: [{ id: room.id, categoryId: newId() }] })).toMatchObject(refused('no_such_category'))
    expect(await order({ categories: [newId()] })).toMatchObject(refused('no_such_category'))
    expect(await order({ rooms: [{ id: room.id }, { id: room.id }] })).toMatchObject({ status: 400 })
  })
})

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
