import type { AuditEntry, Output, Room } from '@portico/contract'
import type * as api from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { newId } from '../operations/ids.ts'
import { auditLog, expectAudited } from '../../test/audit-log.ts'
import { botApiFixture } from '../../test/bot-api-fixture.ts'
import { expectRefusal } from '../../test/expect-refusal.ts'
import { expectShape } from '../../test/expect-shape.ts'
import type { Answer, Person } from '../../test/person.ts'
import { expectOk, channelFixture, portal } from '../../test/channel-fixture.ts'
import { Stream } from '../../test/stream.ts'
import { MEDIA_ON } from '../../test/start-server.ts'

// Without media nobody can talk, whatever the roles say.
await portal(MEDIA_ON)

/** A channel with a moderator bot, a member to act on, and a voice room. */
async function moderatedChannel() {
  const made = await channelFixture({ people: 1, bots: 1, room: 'voice' })
  const { owner, people, bots, at, channel } = made
  const [ada] = people
  const [bot] = bots
  await made.allow(bot, 'move_voice_member')
  return {
    ...made,
    ada,
    bot,
    join: async (roomId: string) => expectOk(await ada.post(`/rooms/${roomId}/voice`, { channelId: channel.id })),
    disconnect: () => bot.delete(`${at}/members/${ada.id}/voice`),
    move: (roomId: string): Promise<Answer> => bot.put(`${at}/members/${ada.id}/room`, { roomId }),
    admit: async (roomId: string, ...members: { readonly id: string }[]) => {
      const memberIds = members.map(({ id }) => id)
      expectOk(await owner.put(`${at}/rooms/${roomId}/admissions`, { roleIds: [], memberIds }))
    },
    /** The room that the member is in, as the owner sees it. */
    whereabouts: async () => {
      const { rooms } = expectOk(await owner.get<{ rooms: Room[] }>(`${at}/rooms`))
      return rooms.find(({ users }) => users?.some(({ id }) => id === ada.id))?.id
    },
    lastAction: async () => expectOk(await owner.get<{ entries: AuditEntry[] }>(`${at}/audit-log`)).entries[0]?.action,
  }
}

const fixture = botApiFixture()

describe('disconnectMember and moveMember', () => {
  test('do not act on a member who watches a stream room', async () => {
    const { room, newRoom, join, disconnect, move, whereabouts, publishedEvents, lastAction } = await moderatedChannel()
    const stream = await newRoom('stream')
    await join(stream.id)
    const [before, action] = [await publishedEvents(), await lastAction()]
    expectRefusal(await disconnect(), 'unprocessable', { reason: 'not_in_voice' })
    expectRefusal(await move(room.id), 'unprocessable', { reason: 'not_in_voice' })
    expect(await whereabouts()).toBe(stream.id)
    expect(await publishedEvents()).toEqual(before)
    expect(await lastAction()).toBe(action)
  })

  test('treat a member in a private room that the actor cannot see as one outside voice', async () => {
    const { room, ada, bot, newRoom, admit, join, disconnect, move, whereabouts } = await moderatedChannel()
    const outside = [await disconnect(), await move(room.id)]
    const hidden = await newRoom('voice', { private: true })
    await admit(hidden.id, ada)
    await join(hidden.id)
    const inside = [await disconnect(), await move(room.id)]
    expect(inside.map(({ status, body }) => ({ status, body }))).toEqual(
      outside.map(({ status, body }) => ({ status, body })),
    )
    expectRefusal(inside[0] as Answer, 'unprocessable', { reason: 'not_in_voice' })
    expect(await whereabouts()).toBe(hidden.id)

    await admit(hidden.id, ada, bot)
    expectOk(await move(room.id))
    expect(await whereabouts()).toBe(room.id)
    await join(hidden.id)
    expectOk(await disconnect())
    expect(await whereabouts()).toBeUndefined()
  })
})

describe('a bot that moves, disconnects or kicks a member', () => {
  test('receives the voice events of the member like any other bot, but not its own', async () => {
    const { ada, bot, room, at, server, channel, newRoom, newBot, allow, join, move, disconnect } =
      await moderatedChannel()
    await allow(bot, 'move_voice_member', 'kick_member', 'join_voice_room')
    const second = await newRoom('voice')
    const streams = [await Stream.of(server, bot), await Stream.of(server, await newBot())] as const
    await join(room.id)
    expectOk(await move(second.id))
    expectOk(await disconnect())
    await join(second.id)
    expectOk(await bot.delete(`${at}/members/${ada.id}`))
    for (const leave of ['post', 'delete'] as const) {
      expectOk(await bot[leave](`/rooms/${room.id}/voice`, { channelId: channel.id }))
    }

    const user = { id: ada.id }
    const joined = (roomId: string) => ['voice.member_joined', { roomId, user: { ...user, name: ada.name } }]
    const left = ['voice.member_left', { roomId: null, user }]
    const ofAda = [joined(room.id), left, joined(second.id), left, joined(second.id), left]
    const ofBot = [
      ['voice.member_joined', { roomId: room.id, user: { id: bot.id, name: bot.name } }],
      ['voice.member_left', { roomId: null, user: { id: bot.id } }],
    ]
    const [own, other] = streams
    await other.first(8)
    expect(other.received.map(({ envelope: { event, data } }) => [event, data])).toEqual([...ofAda, ...ofBot])
    await own.first(6)
    expect(own.received.map(({ envelope: { event, data } }) => [event, data])).toEqual(ofAda)
  })
})

describe('disconnectMember', () => {
  test('removes the member from the voice room with voice.member_left, or answers 422', async () => {
    const { call, victim, otherVoice, publishedEvents } = await fixture
    const before = (await publishedEvents()).length
    expectShape('disconnectMember', await call('disconnectMember'))
    await expectAudited(await fixture, 'member.disconnected', { targetId: victim.id, details: { roomId: otherVoice } })
    expect((await publishedEvents()).slice(before)).toMatchObject([
      { event: 'voice.member_left', data: { roomId: null, user: { id: victim.id } } },
    ])
    const { bot, at } = await fixture
    expectRefusal(await bot.delete(`${at}/members/${victim.id}/voice`), 'unprocessable', { reason: 'not_in_voice' })
    expectRefusal(await call('disconnectMember', { userId: newId() }), 'unprocessable', { reason: 'not_a_member' })
  })

  test('writes the reason to the audit log', async () => {
    const { bot, victim, at, enter, otherVoice, install } = await fixture
    await install(victim)
    await enter(victim, otherVoice)
    expectOk(await bot.delete(`${at}/members/${victim.id}/voice`, { reason: 'Silence' }))
    await expectAudited(await fixture, 'member.disconnected', { reason: 'Silence' })
  })
})

describe('moveMember', () => {
  test('publishes left, then joined; repeating it changes nothing', async () => {
    const { bot, victim, at, rooms, otherVoice, enter, install, publishedEvents } = await fixture
    await install(victim)
    await enter(victim, otherVoice)
    const move = (body: object) => bot.put(`${at}/members/${victim.id}/room`, body)
    const before = (await publishedEvents()).length
    const moved = await move({ roomId: rooms.voice, reason: 'Over here' })
    expectShape('moveMember', moved)
    expect(moved.body).toEqual({ userId: victim.id, roomId: rooms.voice })
    expect((await publishedEvents()).slice(before)).toMatchObject([
      { event: 'voice.member_left', data: { roomId: null, user: { id: victim.id } } },
      { event: 'voice.member_joined', data: { roomId: rooms.voice, user: { id: victim.id, name: victim.name } } },
    ])
    await expectAudited(await fixture, 'member.moved', {
      reason: 'Over here',
      details: { fromRoomId: otherVoice, toRoomId: rooms.voice },
    })
    const entries = (await auditLog(await fixture)).length
    expect((await move({ roomId: rooms.voice })).body).toEqual(moved.body)
    expect(await auditLog(await fixture)).toHaveLength(entries)
    expect(await publishedEvents()).toHaveLength(before + 2)
  })

  test('rejects a target that is not a voice room, of another channel or full, and a member outside voice', async () => {
    const { call, rooms, newRoom, enter, owner, newBot } = await fixture
    expectRefusal(await call('moveMember', { roomId: rooms.text }), 'unprocessable', { reason: 'wrong_room_type' })
    expectRefusal(await call('moveMember', { roomId: newId() }), 'unprocessable', { reason: 'no_such_room' })
    const full = await newRoom('voice', { userLimit: 1 })
    await enter(owner, full.id)
    expectRefusal(await call('moveMember', { roomId: full.id }), 'unprocessable', { reason: 'room_full' })
    const hidden = await newRoom('voice', { private: true })
    expectRefusal(await call('moveMember', { roomId: hidden.id }), 'unprocessable', { reason: 'no_such_room' })
    expectRefusal(await call('moveMember', { userId: newId() }), 'unprocessable', { reason: 'not_a_member' })
    const outside = await newBot()
    expectRefusal(await call('moveMember', { userId: outside.id }), 'unprocessable', { reason: 'not_in_voice' })
  })

  test('works for people, who can also be muted in the room', async () => {
    const { people, owner, at, channel, newRoom, give, publishedEvents } = await channelFixture({ people: 2 })
    const [ada, ben] = people
    const channelId = channel.id
    await give(ben, 'CHANNEL_MODERATOR')
    const [one, two] = [await newRoom('voice', { userLimit: 1 }), await newRoom('voice')]
    const join = (who: Person, { id }: Room) =>
      who.post<Output<typeof api.joinVoice>>(`/rooms/${id}/voice`, { channelId })
    expect(expectOk(await join(ada, one))).toMatchObject({ canPublish: true, identity: ada.id })
    expect(await join(ben, one)).toMatchObject({ status: 422, body: { reason: 'room_full' } })
    expect((await ada.put(`${at}/members/${ben.id}/room`, { roomId: two.id })).status).toBe(403)
    expect(expectOk(await ben.put(`${at}/members/${ada.id}/room`, { roomId: two.id }))).toEqual({
      userId: ada.id,
      roomId: two.id,
    })
    expectOk(await ben.put(`${at}/members/${ada.id}/voice-mute`, {}))
    expect(expectOk(await join(ada, two))).toMatchObject({ canPublish: false })
    expect((await ben.put(`${at}/members/${owner.id}/voice-mute`, {})).status).toBe(403)
    expectOk(await ada.delete(`/rooms/${two.id}/voice`))
    expect((await publishedEvents()).map(({ event }) => event)).toEqual([
      'voice.member_joined',
      'voice.member_left',
      'voice.member_joined',
      'voice.member_left',
    ])
  })

  test('refuses a private room that does not admit the member', async () => {
    const { room, ada, bot, newRoom, admit, join, move, whereabouts } = await moderatedChannel()
    const backstage = await newRoom('voice', { private: true })
    await admit(backstage.id, bot)
    await join(room.id)
    expectRefusal(await move(backstage.id), 'unprocessable', { reason: 'member_not_admitted' })
    expect(await whereabouts()).toBe(room.id)
    await admit(backstage.id, bot, ada)
    expectOk(await move(backstage.id))
    expect(await whereabouts()).toBe(backstage.id)
  })
})
