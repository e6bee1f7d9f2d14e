import type { AuditEntry, Room } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { expectRefusal } from '../../test/expect-refusal.ts'
import type { Answer } from '../../test/person.ts'
import { expectOk, channelFixture } from '../../test/channel-fixture.ts'

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

describe('moveMember', () => {
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
