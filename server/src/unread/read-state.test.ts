import { readingChanged, type Output, type RoomReadState } from '@portico/contract'
import type * as api from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { expectRefusal } from '../../test/expect-refusal.ts'
import { OpenPortal } from '../../test/open-portal.ts'
import type { Person } from '../../test/person.ts'
import { expectOk, channelFixture } from '../../test/channel-fixture.ts'

interface Place {
  readonly id: string
  readonly channelId: string
}

async function say(person: Person, { id, channelId }: Place, text: string): Promise<string> {
  return expectOk(await person.post<{ id: string }>(`/rooms/${id}/messages`, { channelId, text })).id
}

async function readStates(person: Person): Promise<RoomReadState[]> {
  return expectOk(await person.get<Output<typeof api.listReadStates>>('/read-states')).rooms
}

async function reading(person: Person, { id }: { readonly id: string }): Promise<RoomReadState | undefined> {
  return (await readStates(person)).find(({ roomId }) => roomId === id)
}

describe('read state', () => {
  test('counts from joining: earlier messages are read, later ones unread', async () => {
    const { owner, newPerson, room, at } = await channelFixture()
    await say(owner, room, 'before')
    const ada = await newPerson()
    expectOk(await ada.post(`${at}/join`))
    expect(await reading(ada, room)).toMatchObject({
      unread: false,
      mentions: 0,
      muted: false,
      mutedUntil: null,
      level: 'mentions',
    })
    const last = await say(owner, room, 'after')
    expect(await reading(ada, room)).toMatchObject({ unread: true, lastMessageId: last })
    expect(await reading(owner, room)).toMatchObject({ unread: false, readUpTo: last })
  })

  test('moves forward when a room is marked as read, never back, and notifies all devices', async () => {
    const { server, owner, people, room } = await channelFixture({ people: 1 })
    const [ada] = people
    const first = await say(owner, room, 'one')
    const second = await say(owner, room, 'two')
    const otherTab = await OpenPortal.of(server, ada)
    const ownersTab = await OpenPortal.of(server, owner)

    const half = expectOk(await ada.put<RoomReadState>(`/rooms/${room.id}/read`, { messageId: first }))
    expect(half).toMatchObject({ readUpTo: first, unread: true, lastMessageId: second })
    expect((await otherTab.next(readingChanged)).data.reading).toEqual(half)
    const whole = expectOk(await ada.put<RoomReadState>(`/rooms/${room.id}/read`, {}))
    expect(whole).toMatchObject({ readUpTo: second, unread: false })
    expectOk(await ada.put(`/rooms/${room.id}/read`, { messageId: first }))
    expect(await reading(ada, room)).toEqual(whole)
    expect(ownersTab.kinds).not.toContain(readingChanged.event)
  })

  test('counts mentions until they are read, deleted or edited away', async () => {
    const { owner, people, bots, room } = await channelFixture({ people: 1, bots: 1 })
    const [ada] = people
    const call = `look, <@${ada.id}>`
    const mentions = async (): Promise<number | undefined> => (await reading(ada, room))?.mentions
    const first = await say(owner, room, `${call} and again <@${ada.id.toUpperCase()}>`)
    expectOk(await bots[0].post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text: call }))
    const third = await say(owner, room, call)
    expect(await mentions()).toBe(3)
    expectOk(await owner.delete(`/rooms/${room.id}/messages/${first}`, { channelId: room.channelId }))
    expect(await mentions()).toBe(2)
    expectOk(await owner.patch(`/rooms/${room.id}/messages/${third}`, { channelId: room.channelId, text: 'nobody' }))
    expect(await mentions()).toBe(1)
    await say(ada, room, `I, <@${ada.id}>, have seen it`)
    expect(await reading(ada, room)).toMatchObject({ mentions: 0, unread: false })
  })

  test('moves back when a room is marked as unread from a message, with its mentions, on all devices', async () => {
    const { server, owner, people, newRoom, room } = await channelFixture({ people: 1 })
    const [ada] = people
    const first = await say(owner, room, 'one')
    const second = await say(owner, room, `two <@${ada.id}>`)
    await say(ada, room, `mine <@${ada.id}>`)
    await say(owner, room, `<@everyone> <@${ada.id.toUpperCase()}>`)
    expectOk(await ada.put(`/rooms/${room.id}/read`, {}))
    const otherTab = await OpenPortal.of(server, ada)
    const unread = expectOk(await ada.put<RoomReadState>(`/rooms/${room.id}/unread`, { messageId: second }))
    expect(unread).toMatchObject({ readUpTo: first, unread: true, mentions: 2 })
    expect(await otherTab.next(readingChanged)).toMatchObject({ channelId: room.channelId, data: {} })
    expect(await reading(ada, room)).toEqual(unread)
    expectOk(await ada.put(`/rooms/${room.id}/unread`, { messageId: first }))
    expect(await reading(ada, room)).toMatchObject({ unread: true, mentions: 2 })
    expectOk(await ada.put(`/rooms/${room.id}/read`, {}))
    expect(await reading(ada, room)).toMatchObject({ unread: false, mentions: 0 })

    const other = await newRoom('text')
    expectRefusal(await ada.put(`/rooms/${other.id}/unread`, { messageId: first }), 'unprocessable', {
      reason: 'no_such_message',
    })
  })

  test('counts at most fifty mentions per message, and only of members who can see the room', async () => {
    const { owner, people, newPerson, newRoom, room, at } = await channelFixture({ people: 2 })
    const [ada, bob] = people
    const stranger = await newPerson()
    const { id } = await newRoom('text', { private: true })
    expectOk(await owner.put(`${at}/rooms/${id}/admissions`, { roleIds: [], memberIds: [owner.id, ada.id] }))
    const secret = { id, channelId: room.channelId }
    await say(owner, secret, `<@${ada.id}> <@${bob.id}> <@${stranger.id}>`)
    expect(await reading(ada, secret)).toMatchObject({ mentions: 1 })
    expect(await reading(bob, secret)).toBeUndefined()

    const many = Array.from({ length: 50 }, (_, n) => `<@01890000-0000-7000-8000-${String(n).padStart(12, '0')}>`)
    await say(owner, room, `${many.join('')}<@${ada.id}>`)
    expect(await reading(ada, room)).toMatchObject({ mentions: 0 })
  })

  test('can be set for a whole channel without affecting other channels', async () => {
    const { server, owner, people, newRoom, room, channel } = await channelFixture({ people: 1 })
    const [ada] = people
    const other = await channelFixture()
    expectOk(await ada.post(`${other.at}/join`))
    const second = await newRoom('voice')
    await say(owner, room, `<@${ada.id}>`)
    await say(owner, { id: second.id, channelId: channel.id }, 'on the air')
    await say(other.owner, other.room, 'elsewhere')
    const tab = await OpenPortal.of(server, ada)
    expectOk(await ada.put(`/channels/${channel.id}/read`))
    expect(await tab.next(readingChanged)).toMatchObject({ channelId: channel.id, data: {} })
    const unread = (await readStates(ada)).filter((one) => one.unread || one.mentions > 0)
    expect(unread.map(({ roomId }) => roomId)).toEqual([other.room.id])
  })

  test('leaves out rooms that the caller cannot read, and those of channels that they were removed from', async () => {
    const { owner, people, newRoom, role, at, room } = await channelFixture({ people: 1 })
    const [ada] = people
    const closed = await newRoom('text')
    const { id: members } = await role('CHANNEL_MEMBER')
    expectOk(await owner.put(`${at}/rooms/${closed.id}/overrides/${members}`, { allow: [], deny: ['read_text_room'] }))
    await newRoom('voice')
    const ids = async () => (await readStates(ada)).map(({ roomId }) => roomId)
    expect(await ids()).toContain(room.id)
    expect(await ids()).not.toContain(closed.id)
    expectRefusal(await ada.put(`/rooms/${closed.id}/read`, {}), 'forbidden', { requiredRight: 'read_text_room' })
    expectOk(await owner.delete(`${at}/members/${ada.id}`))
    expect(await ids()).toEqual([])
    expectRefusal(await ada.patch(`/rooms/${room.id}/notifications`, { muted: true }), 'unprocessable', {
      reason: 'no_such_room',
    })
  })

  test('keeps a room muted when it is marked as read, even if it is empty', async () => {
    const { owner, room } = await channelFixture()
    const at = `/rooms/${room.id}`
    expectOk(await owner.patch(`${at}/notifications`, { muted: true }))
    const empty = expectOk(await owner.put<RoomReadState>(`${at}/read`, {}))
    expect(empty).toMatchObject({ muted: true, lastMessageId: null, unread: false })
    const id = await say(owner, room, 'first')
    expect(expectOk(await owner.put<RoomReadState>(`${at}/read`, { messageId: id }))).toEqual({
      ...empty,
      lastMessageId: id,
      readUpTo: id,
    })
  })

  test('rejects a message of another room, and leaves everything unread', async () => {
    const { owner, people, newRoom, room } = await channelFixture({ people: 1 })
    const other = await newRoom('text')
    await say(people[0], room, 'here')
    const id = await say(owner, { id: other.id, channelId: room.channelId }, 'there')
    const before = await reading(owner, room)
    expect(before).toMatchObject({ unread: true })
    expectRefusal(await owner.put(`/rooms/${room.id}/read`, { messageId: id }), 'unprocessable', {
      reason: 'no_such_message',
    })
    expect(await reading(owner, room)).toEqual(before)
  })
})
