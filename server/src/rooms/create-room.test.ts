import { LIMITS, type Category, type Room, type Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { newId } from '../operations/ids.ts'
import { expectOk, channelFixture } from '../../test/channel-fixture.ts'

type Rooms = Output<typeof api.listRooms>

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

  test('enforces the limit, even for concurrent requests', async () => {
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
