import { memberLeft, typingStarted } from '@portico/contract'
import { describe, expect, test, vi } from 'vitest'
import { channelFixture, expectOk, portal } from '../../test/channel-fixture.ts'
import { eventually } from '../../test/eventually.ts'
import { OpenPortal } from '../../test/open-portal.ts'
import { EventRecipients } from './event-recipients.ts'
import { OpenRooms } from './open-rooms.ts'

const { server } = await portal()

async function openRooms(): Promise<number> {
  return Number(/^portico_open_rooms (\d+)$/m.exec(await server.services.metrics.text())?.[1])
}

/** A room in which the owner types, a second one, and people who may or may not get to know. */
async function typingFixture() {
  const made = await channelFixture({ people: 2 })
  const { owner, people, room, newRoom, at } = made
  const [ada, ben] = people
  const other = await newRoom('text')
  const type = async (roomId: string) => {
    // A person counts as typing for a while and is announced once: someone else types each time.
    const typist = await made.newPerson()
    expectOk(await typist.post(`${at}/join`))
    expectOk(await typist.post(`/rooms/${roomId}/typing`))
  }
  /** Ephemeral events of a room arrive in order: what a portal didn't get before the marker, it never gets. */
  const typedUntil = async (open: OpenPortal, roomId: string): Promise<string[]> => {
    await type(roomId)
    for (;;) if ((await open.next(typingStarted)).data.roomId === roomId) break
    return open.eventsOf(typingStarted).map((event) => event.data.roomId)
  }
  return { ...made, owner, ada, ben, room, other, type, typedUntil }
}

describe('a portal that shows a room', () => {
  test('gets its ephemeral events while it shows it, each as often as it opens it', async () => {
    const { ada, room, other, type, typedUntil } = await typingFixture()
    const open = await OpenPortal.of(server, ada)
    await open.show(other.id)
    await type(room.id)
    await open.show(room.id)
    await type(room.id)
    await open.next(typingStarted)
    await open.hide(room.id)
    await type(room.id)
    await open.show(room.id)
    await type(room.id)
    await open.next(typingStarted)
    expect(await typedUntil(open, other.id)).toEqual([room.id, room.id, other.id])
  })

  test('gets none of a channel that its person left or never was in', async () => {
    const { owner, ada, room, at, other, type, typedUntil, newPerson } = await typingFixture()
    const own = await OpenPortal.of(server, owner)
    const left = await OpenPortal.of(server, ada)
    const stranger = await newPerson()
    const never = await OpenPortal.of(server, stranger)
    for (const open of [own, left, never]) await open.show(room.id)
    expectOk(await ada.delete(`${at}/membership`))
    await left.next(memberLeft)
    await type(room.id)
    await own.next(typingStarted)
    expectOk(await stranger.post(`${at}/join`))
    await eventually(() => never.kinds).toContain('member.joined')
    await never.show(other.id)
    expect(await typedUntil(never, other.id)).toEqual([other.id])
    await typedUntil(own, room.id)
    expect(left.kinds).not.toContain('typing.started')
    // A member again, the room being open all the time.
    expectOk(await ada.post(`${at}/join`))
    expect(await typedUntil(left, room.id)).toEqual([room.id])
  })

  test('gets none of a room that its person may not read anymore, and again those of one that they may', async () => {
    const { owner, ada, ben, room, at, other, type, typedUntil } = await typingFixture()
    const open = await OpenPortal.of(server, ada)
    const admitted = await OpenPortal.of(server, ben)
    for (const { id } of [room, other]) await Promise.all([open.show(id), admitted.show(id)])
    const setPrivate = async (secret: boolean) =>
      expectOk(await owner.patch(`${at}/rooms/${room.id}`, { private: secret }))
    await setPrivate(true)
    expectOk(await owner.put(`${at}/rooms/${room.id}/admissions`, { roleIds: [], memberIds: [ben.id] }))
    expectOk(await owner.post(`/rooms/${room.id}/typing`))
    await admitted.next(typingStarted)
    expect(await typedUntil(open, other.id)).toEqual([other.id])
    await setPrivate(false)
    await type(room.id)
    expect((await open.next(typingStarted)).data.roomId).toBe(room.id)
  })

  test('gets them again after it has reconnected and opened the room again', async () => {
    const { ada, room, other, type, typedUntil } = await typingFixture()
    const lost = await OpenPortal.of(server, ada)
    await lost.show(room.id)
    lost.close()
    const open = await OpenPortal.of(server, ada)
    await open.show(other.id)
    await type(room.id)
    expect(await typedUntil(open, other.id)).toEqual([other.id])
    await open.show(room.id)
    expect(await typedUntil(open, room.id)).toEqual([other.id, room.id])
  })

  test('gets none once the room is deleted', async () => {
    const { owner, ada, room, other, at, typedUntil } = await typingFixture()
    const open = await OpenPortal.of(server, ada)
    for (const { id } of [room, other]) await open.show(id)
    expectOk(await owner.delete(`${at}/rooms/${room.id}`))
    const to = { channelId: room.channelId, roomId: room.id, except: owner.id }
    const body = JSON.stringify({ event: typingStarted.event, data: { roomId: room.id } })
    await server.services.bus.publish('ephemeral', JSON.stringify({ to, body }))
    expect(await typedUntil(open, other.id)).toEqual([other.id])
  })

  test('is all that an ephemeral event of the room costs', async () => {
    const { ada, ben, room, other, typedUntil } = await typingFixture()
    const [shows, doesNot] = [await OpenPortal.of(server, ada), await OpenPortal.of(server, ben)]
    await shows.show(room.id)
    await doesNot.show(other.id)
    const read = vi.spyOn(EventRecipients.prototype, 'read')
    await typedUntil(shows, room.id)
    const requested = read.mock.calls.filter(([event]) => event.event === typingStarted.event)
    read.mockRestore()
    expect(requested.map(([, accountIds]) => accountIds)).toEqual([[ada.id]])
  })

  test('is forgotten when it is closed, by either side', async () => {
    const { owner, ada, room, other } = await typingFixture()
    await eventually(openRooms).toBe(0)
    const [first, second] = [await OpenPortal.of(server, ada), await OpenPortal.of(server, owner)]
    for (const { id } of [room, other]) await first.show(id)
    await second.show(room.id)
    expect(await openRooms()).toBe(2)
    await first.hide(other.id)
    expect(await openRooms()).toBe(1)
    await first.show(other.id)
    // Ends her session, and with it the socket.
    expectOk(await ada.delete('/sessions/current'))
    await eventually(openRooms).toBe(1)
    second.close()
    await eventually(openRooms).toBe(0)
  })
})

describe('OpenRooms', () => {
  test('keeps nothing of portals and rooms that are closed', () => {
    const rooms = new OpenRooms<string>()
    for (const portal of ['a', 'b']) for (const room of ['room:1', 'room:2']) rooms.open(portal, room)
    expect(rooms.open('a', 'room:1')).toMatchObject({ code: 105 })
    expect([...rooms.portalsWith('room:1')]).toEqual(['a', 'b'])
    rooms.close('a', 'room:1')
    rooms.close('a', 'room:1')
    rooms.close('c', 'room:2')
    expect([...rooms.portalsWith('room:1')]).toEqual(['b'])
    rooms.closeAll('b')
    expect([...rooms.portalsWith('room:1'), ...rooms.portalsWith('room:2')]).toEqual(['a'])
    expect(rooms.size).toBe(1)
    rooms.closeAll('a')
    expect(rooms.size).toBe(0)
    // Not counted against the limit anymore.
    for (let room = 0; room < 8; room += 1) expect(rooms.open('a', `room:${room}`)).toBeUndefined()
    expect(rooms.open('a', 'room:8')).toMatchObject({ code: 106 })
  })
})
