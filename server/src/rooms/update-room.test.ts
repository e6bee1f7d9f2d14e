import type { AuditEntry, Category, Room, RoomAccess } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { newId } from '../operations/ids.ts'
import { expectOk, channelFixture } from '../../test/channel-fixture.ts'

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
