import { LIMITS, type Category, type Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { expectOk, channelFixture } from '../../test/channel-fixture.ts'

type Rooms = Output<typeof api.listRooms>

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
