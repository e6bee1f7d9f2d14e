import { readingChanged, type Output, type PlaceNotifications, type RoomReadState } from '@portico/contract'
import type * as api from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { channelFixture, expectOk } from '../../test/channel-fixture.ts'
import { expectRefusal } from '../../test/expect-refusal.ts'
import { OpenPortal } from '../../test/open-portal.ts'
import type { Person } from '../../test/person.ts'
import { queryDatabaseOf } from '../../test/query-database.ts'

async function choose(person: Person, path: string, choice: object): Promise<PlaceNotifications> {
  return expectOk(await person.patch<PlaceNotifications>(`${path}/notifications`, choice))
}

async function readStateOf(person: Person, roomId: string): Promise<RoomReadState | undefined> {
  const { rooms } = expectOk(await person.get<Output<typeof api.listReadStates>>('/read-states'))
  return rooms.find((room) => room.roomId === roomId)
}

describe('notification levels', () => {
  test('of a room come before those of its channel, and those before the default', async () => {
    const { people, room, at } = await channelFixture({ people: 1 })
    const [ada] = people
    const inRoom = `/rooms/${room.id}`
    expect(expectOk(await ada.get(`${inRoom}/notifications`))).toEqual({
      level: null,
      inheritedLevel: 'mentions',
      muted: false,
      mutedUntil: null,
    })
    expect(await choose(ada, at, { level: 'nothing' })).toMatchObject({ level: 'nothing', inheritedLevel: 'mentions' })
    expect(await readStateOf(ada, room.id)).toMatchObject({ level: 'nothing', muted: false })
    expect(await choose(ada, inRoom, { level: 'all' })).toMatchObject({ level: 'all', inheritedLevel: 'nothing' })
    expect(await readStateOf(ada, room.id)).toMatchObject({ level: 'all' })
    expect(await choose(ada, inRoom, { level: null })).toMatchObject({ level: null })
    expect(await readStateOf(ada, room.id)).toMatchObject({ level: 'nothing' })
  })

  test('are personal, and are published to all devices', async () => {
    const { server, owner, people, room, at } = await channelFixture({ people: 1 })
    const [ada] = people
    const otherTab = await OpenPortal.of(server, ada)
    await choose(ada, `/rooms/${room.id}`, { level: 'all' })
    expect((await otherTab.next(readingChanged)).data.reading).toMatchObject({ roomId: room.id, level: 'all' })
    await choose(ada, at, { level: 'nothing' })
    expect(await otherTab.next(readingChanged)).toMatchObject({ channelId: room.channelId, data: {} })
    expect(await readStateOf(owner, room.id)).toMatchObject({ level: 'mentions' })
  })

  test('are forgotten when the person leaves the channel', async () => {
    const { people, room, at } = await channelFixture({ people: 1 })
    const [ada] = people
    await choose(ada, at, { level: 'all', muted: true })
    await choose(ada, `/rooms/${room.id}`, { level: 'nothing' })
    expectOk(await ada.delete(`${at}/membership`))
    expectOk(await ada.post(`${at}/join`))
    expect(await readStateOf(ada, room.id)).toMatchObject({ level: 'mentions', muted: false })
  })

  test('are part of the exported data', async () => {
    const { people, room, at } = await channelFixture({ people: 1 })
    const [ada] = people
    await choose(ada, at, { muted: true })
    await choose(ada, `/rooms/${room.id}`, { level: 'all' })
    const { notifications } = expectOk(await ada.get<{ notifications: object }>('/account/data'))
    expect(notifications).toEqual({
      settings: { sound: true, doNotDisturb: null },
      channels: [{ channelId: room.channelId, level: null, muted: true, mutedUntil: null }],
      rooms: [{ channelId: room.channelId, roomId: room.id, level: 'all', muted: false, mutedUntil: null }],
    })
  })

  test('can be chosen only for places that the person can read', async () => {
    const { people, newPerson, newRoom, channel, at } = await channelFixture({ people: 1 })
    const den = await newRoom('text', { private: true })
    expectRefusal(await people[0].patch(`/rooms/${den.id}/notifications`, { level: 'all' }), 'unprocessable', {
      reason: 'no_such_room',
    })
    const stranger = await newPerson()
    expectRefusal(await stranger.get(`/channels/${channel.id}/notifications`), 'forbidden', { reason: 'not_a_member' })
    expectRefusal(await people[0].patch(`${at}/notifications`, { level: 'some' }), 'badRequest', { field: 'level' })
  })
})

describe('a mute', () => {
  test('of a room keeps the read position, and can be undone', async () => {
    const { owner, people, room } = await channelFixture({ people: 1 })
    const [ada] = people
    expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text: 'noise' }))
    await choose(ada, `/rooms/${room.id}`, { muted: true })
    expect(await readStateOf(ada, room.id)).toMatchObject({
      muted: true,
      channelMuted: false,
      mutedUntil: null,
      unread: true,
    })
    expect(await readStateOf(owner, room.id)).toMatchObject({ muted: false })
    expectOk(await ada.put(`/rooms/${room.id}/read`, {}))
    expect(await readStateOf(ada, room.id)).toMatchObject({ muted: true, unread: false })
    await choose(ada, `/rooms/${room.id}`, { muted: false })
    expect(await readStateOf(ada, room.id)).toMatchObject({ muted: false, unread: false })
  })

  test('ends by itself after its duration', async () => {
    const { server, people, room } = await channelFixture({ people: 1 })
    const [ada] = people
    const muted = await choose(ada, `/rooms/${room.id}`, { muted: true, durationSec: 3600 })
    const inAnHour = Date.parse(muted.mutedUntil ?? '') - Date.now()
    expect(inAnHour).toBeGreaterThan(3500_000)
    expect(inAnHour).toBeLessThan(3700_000)
    expect(await readStateOf(ada, room.id)).toMatchObject({ muted: true, mutedUntil: muted.mutedUntil })
    await queryDatabaseOf(
      server,
      `UPDATE member_rooms SET muted_until = now() - interval '1 second' WHERE account_id = '${ada.id}'`,
    )
    expect(await readStateOf(ada, room.id)).toMatchObject({ muted: false, mutedUntil: null })
    expect(expectOk(await ada.get(`/rooms/${room.id}/notifications`))).toMatchObject({ muted: false, mutedUntil: null })
  })

  test('of a channel mutes its rooms until the later of both ends', async () => {
    const { people, room, at } = await channelFixture({ people: 1 })
    const [ada] = people
    await choose(ada, `/rooms/${room.id}`, { muted: true, durationSec: 60 })
    const { mutedUntil } = await choose(ada, at, { muted: true, durationSec: 28_800 })
    expect(await readStateOf(ada, room.id)).toMatchObject({ muted: true, channelMuted: true, mutedUntil })
    await choose(ada, `/rooms/${room.id}`, { muted: true })
    expect(await readStateOf(ada, room.id)).toMatchObject({ muted: true, mutedUntil: null })
    await choose(ada, `/rooms/${room.id}`, { muted: false })
    await choose(ada, at, { muted: false })
    expect(await readStateOf(ada, room.id)).toMatchObject({ muted: false })
  })
})
