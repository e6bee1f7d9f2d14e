import type { Category, Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { newId } from '../operations/ids.ts'
import { expectOk, channelFixture } from '../../test/channel-fixture.ts'

type Rooms = Output<typeof api.listRooms>

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
