import { messageCreated, messageUpdated, type Output, type RoomMessage, type RoomReadState } from '@portico/contract'
import type * as api from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { channelFixture, expectOk } from '../../test/channel-fixture.ts'
import { OpenPortal } from '../../test/open-portal.ts'
import type { Person } from '../../test/person.ts'

interface Place {
  readonly id: string
  readonly channelId: string
}

async function say(person: Pick<Person, 'post'>, { id, channelId }: Place, text: string): Promise<string> {
  return expectOk(await person.post<{ id: string }>(`/rooms/${id}/messages`, { channelId, text })).id
}

async function mentionsOf(person: Person, { id }: Place): Promise<number | undefined> {
  const { rooms } = expectOk(await person.get<Output<typeof api.listReadStates>>('/read-states'))
  return rooms.find(({ roomId }: RoomReadState) => roomId === id)?.mentions
}

async function historyOf(person: Person, { id }: Place): Promise<RoomMessage[]> {
  return expectOk(await person.get<{ messages: RoomMessage[] }>(`/rooms/${id}/history`)).messages
}

describe('a mention of everyone, of those here, or of a role', () => {
  test('counts for those whom it concerns until they read it, and once if it mentions them as well', async () => {
    const { owner, people, newRole, give, room } = await channelFixture({ people: 2 })
    const [ada, bob] = people
    const staff = await newRole('Staff', [])
    await give(ada, 'CHANNEL_MEMBER', staff)
    await say(owner, room, '<@everyone> hello')
    await say(owner, room, `<@&${staff.id}> and <@here>`)
    await say(owner, room, `<@&${staff.id.toUpperCase()}> and <@${ada.id}>`)
    expect([await mentionsOf(ada, room), await mentionsOf(bob, room), await mentionsOf(owner, room)]).toEqual([3, 2, 0])
    expectOk(await ada.put(`/rooms/${room.id}/read`, {}))
    expect([await mentionsOf(ada, room), await mentionsOf(bob, room)]).toEqual([0, 2])
  })

  test('is only text without the right, which a room can give', async () => {
    const { server, owner, people, role, room, at } = await channelFixture({ people: 2 })
    const [ada, bob] = people
    const tab = await OpenPortal.of(server, bob)
    const admins = await role('CHANNEL_ADMIN')
    await say(ada, room, `<@everyone> <@here> <@&${admins.id}>`)
    const { shown } = await tab.next(messageCreated)
    expect(shown).not.toHaveProperty('mentionedGroups')
    expect(shown.mentions).toEqual([{ id: admins.id, name: 'Administrator', channelNickname: null }])
    expect([await mentionsOf(bob, room), await mentionsOf(owner, room)]).toEqual([0, 0])
    expect((await historyOf(bob, room))[0]).not.toHaveProperty('mentionedGroups')

    const members = await role('CHANNEL_MEMBER')
    const override = { allow: ['mention_everyone'], deny: [] }
    expectOk(await owner.put(`${at}/rooms/${room.id}/overrides/${members.id}`, override))
    await say(ada, room, '<@everyone>')
    expect((await tab.next(messageCreated)).shown).toMatchObject({ mentionedGroups: ['everyone'] })
    expect(await mentionsOf(bob, room)).toBe(1)
  })

  test('is open to bots with the right', async () => {
    const { people, bots, allow, room } = await channelFixture({ people: 1, bots: 1 })
    await say(bots[0], room, '<@everyone> not yet')
    expect(await mentionsOf(people[0], room)).toBe(0)
    await allow(bots[0], 'write_text_room', 'mention_everyone')
    await say(bots[0], room, '<@everyone> now')
    expect(await mentionsOf(people[0], room)).toBe(1)
  })

  test('is withdrawn by an edit or a deletion, and an edit adds none', async () => {
    const { server, owner, people, newRole, room } = await channelFixture({ people: 1 })
    const [ada] = people
    const staff = await newRole('Staff', [])
    const first = await say(owner, room, '<@everyone> <@here>')
    const second = await say(owner, room, 'nobody')
    const third = await say(owner, room, '<@everyone>')
    const tab = await OpenPortal.of(server, ada)
    const edit = async (id: string, text: string) =>
      expectOk(await owner.patch(`/rooms/${room.id}/messages/${id}`, { channelId: room.channelId, text }))
    await edit(first, 'only <@here>')
    expect((await tab.next(messageUpdated)).shown).toEqual({ mentions: [], mentionedGroups: ['here'] })
    await edit(second, `<@everyone> <@&${staff.id}>`)
    expect((await tab.next(messageUpdated)).shown).not.toHaveProperty('mentionedGroups')
    expect(await mentionsOf(ada, room)).toBe(2)
    await edit(first, 'nobody')
    expectOk(await owner.delete(`/rooms/${room.id}/messages/${third}`, { channelId: room.channelId }))
    expect(await mentionsOf(ada, room)).toBe(0)
    expect((await historyOf(ada, room)).some((message) => 'mentionedGroups' in message)).toBe(false)
  })

  test('names no role of another channel, and shows the name that a role has now', async () => {
    const { owner, people, newRole, room, at } = await channelFixture({ people: 1 })
    const other = await channelFixture()
    const strangers = await other.role('CHANNEL_MEMBER')
    const staff = await newRole('Staff', [])
    await say(owner, room, `<@&${strangers.id}> <@&${staff.id}>`)
    expectOk(await owner.patch(`${at}/roles/${staff.id}`, { name: 'Crew' }))
    expect((await historyOf(people[0], room))[0]).toMatchObject({
      mentions: [{ id: staff.id, name: 'Crew' }],
      mentionedGroups: [staff.id],
    })
  })

  test('does not count in rooms from before the person joined', async () => {
    const { owner, newPerson, room, at } = await channelFixture()
    await say(owner, room, '<@everyone>')
    const late = await newPerson()
    expectOk(await late.post(`${at}/join`))
    expect(await mentionsOf(late, room)).toBe(0)
  })
})
