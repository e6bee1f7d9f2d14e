import { setTimeout as sleep } from 'node:timers/promises'
import { messageCreated, messageUpdated, type Output, type RoomMessage } from '@portico/contract'
import type * as api from '@portico/contract'
import { describe, expect, test } from 'vitest'
import type { Bot } from '../../test/bot.ts'
import { expectRefusal } from '../../test/expect-refusal.ts'
import { OpenPortal } from '../../test/open-portal.ts'
import type { Person } from '../../test/person.ts'
import { queryDatabaseOf } from '../../test/query-database.ts'
import { expectOk, channelFixture } from '../../test/channel-fixture.ts'

type History = Output<typeof api.readHistory>
type Reactors = Output<typeof api.listReactors>

async function say(person: Person, room: { id: string; channelId: string }, text: string, replyToId?: string) {
  const { id, channelId } = room
  return expectOk(await person.post<{ id: string }>(`/rooms/${id}/messages`, { channelId, text, replyToId })).id
}

async function history(person: Person, roomId: string, query = ''): Promise<History> {
  return expectOk(await person.get<History>(`/rooms/${roomId}/history${query}`))
}

const texts = ({ messages }: History): string[] => messages.map(({ text }) => text)

describe('readHistory', () => {
  test('returns the page before, after and around a message, and whether there are more', async () => {
    const { owner, room } = await channelFixture()
    const ids: string[] = []
    for (let n = 1; n <= 7; n += 1) ids.push(await say(owner, room, `m${n}`))
    const at = (name: string, n: number, limit: number): Promise<History> =>
      history(owner, room.id, `?${name}=${ids[n - 1]}&limit=${limit}`)

    const newest = await history(owner, room.id, '?limit=3')
    expect([texts(newest), newest.hasOlder, newest.hasNewer]).toEqual([['m5', 'm6', 'm7'], true, false])
    const before = await at('beforeId', 5, 4)
    expect([texts(before), before.hasOlder, before.hasNewer]).toEqual([['m1', 'm2', 'm3', 'm4'], false, true])
    const after = await at('afterId', 5, 4)
    expect([texts(after), after.hasOlder, after.hasNewer]).toEqual([['m6', 'm7'], true, false])
    const around = await at('aroundId', 4, 4)
    expect([texts(around), around.hasOlder, around.hasNewer]).toEqual([['m2', 'm3', 'm4', 'm5'], true, true])
    const whole = await history(owner, room.id)
    expect([texts(whole).length, whole.hasOlder, whole.hasNewer]).toEqual([7, false, false])
  })

  test('refuses a room that is deleted after the access was checked', async () => {
    const { server, owner, room } = await channelFixture()
    await history(owner, room.id)
    // The page is read when this lock is released.
    const deletion = `DELETE FROM rooms WHERE id = '${room.id}'`
    const deleted = queryDatabaseOf(
      server,
      `BEGIN; LOCK TABLE messages IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(1); ${deletion}; COMMIT`,
    )
    await sleep(500)
    expectRefusal(await owner.get(`/rooms/${room.id}/history`), 'unprocessable', { reason: 'no_such_room' })
    await deleted
  })

  test('accepts a deleted message as a cursor, but none of another room', async () => {
    const { owner, room, newRoom } = await channelFixture()
    const other = await newRoom('text')
    const first = await say(owner, room, 'first')
    const gone = await say(owner, room, 'gone')
    await say(owner, room, 'last')
    const elsewhere = await say(owner, { id: other.id, channelId: room.channelId }, 'elsewhere')
    expectOk(await owner.delete(`/rooms/${room.id}/messages/${gone}`, { channelId: room.channelId }))

    expect(texts(await history(owner, room.id, `?aroundId=${gone}`))).toEqual(['first', 'last'])
    expect(texts(await history(owner, room.id, `?afterId=${gone}`))).toEqual(['last'])
    expect(await history(owner, room.id, `?beforeId=${first}`)).toMatchObject({ messages: [], hasOlder: false })
    expectRefusal(await owner.get(`/rooms/${room.id}/history?afterId=${elsewhere}`), 'unprocessable', {
      reason: 'no_such_message',
    })
    expectRefusal(await owner.get(`/rooms/${room.id}/history?afterId=${gone}&beforeId=${first}`), 'badRequest', {
      field: 'afterId',
    })
  })

  test('accepts the position of someone who has read nothing yet', async () => {
    const { owner, newPerson, room, at } = await channelFixture()
    await say(owner, room, 'before')
    const ada = await newPerson()
    expectOk(await ada.post(`${at}/join`))
    for (const text of ['one', 'two', 'three']) await say(owner, room, text)
    const { readUpTo, hasOlder } = await history(ada, room.id, '?limit=2')
    expect(hasOlder).toBe(true)
    expect(texts(await history(ada, room.id, `?aroundId=${readUpTo}&limit=2`))).toEqual(['before', 'one'])
    const first = (await history(ada, room.id)).messages[0]?.id
    expectOk(await ada.put(`/rooms/${room.id}/unread`, { messageId: first }))
    const fromStart = await history(ada, room.id, '?limit=2')
    expect(texts(await history(ada, room.id, `?aroundId=${fromStart.readUpTo}&limit=4`))).toEqual(['before', 'one'])
  })

  test('returns author, quote, mentions, reactions and pin of each message', async () => {
    const { owner, people, bots, room, at } = await channelFixture({ people: 1, bots: 1 })
    const [ada] = people
    const [bot] = bots
    expectOk(await owner.put(`${at}/members/${ada.id}/nickname`, { nickname: 'Countess' }))
    const questionId = await say(ada, room, `Is it green, <@${owner.id}>?`)
    const answer = await say(owner, room, 'It is', questionId)
    expectOk(await bot.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text: 'Build 7' }))
    expectOk(
      await ada.post(`/rooms/${room.id}/messages/${answer}/reactions`, { channelId: room.channelId, emoji: '👍' }),
    )
    expectOk(await owner.post(`/rooms/${room.id}/messages/${questionId}/pin`, { channelId: room.channelId }))

    const [question, reply, build] = (await history(ada, room.id)).messages
    expect(question).toMatchObject({
      author: { id: ada.id, name: ada.name, channelNickname: 'Countess', isBot: false, avatarVersion: 1 },
      mentions: [{ id: owner.id, name: owner.name, channelNickname: null }],
      pinnedAt: expect.any(String),
    })
    const { id, name } = ada
    const quoted = { id, name, channelNickname: 'Countess', isBot: false, roleIds: [expect.any(String)] }
    expect(reply?.replyTo).toEqual({ id: questionId, author: quoted, text: `Is it green, @${owner.name}?` })
    expect(reply?.reactions).toEqual([{ emoji: '👍', count: 1, mine: true }])
    expect(build?.author).toMatchObject({ id: bot.id, isBot: true })
    const { messages: pins } = expectOk(
      await ada.get<{ messages: RoomMessage[] }>(`/rooms/${room.id}/pins?channelId=${room.channelId}`),
    )
    expect(pins).toEqual([question])

    expectOk(await ada.delete(`/rooms/${room.id}/messages/${questionId}`, { channelId: room.channelId }))
    expect((await history(ada, room.id)).messages[0]?.replyTo).toEqual({ id: questionId, author: null, text: '' })
  })

  test('is refused for strangers, members whom a private room does not admit, and members who may not read', async () => {
    const { owner, people, newPerson, newRoom, role, at, room } = await channelFixture({ people: 1 })
    const [ada] = people
    const secret = await newRoom('text', { private: true })
    await say(owner, { id: secret.id, channelId: room.channelId }, 'hush')
    for (const path of ['history', 'messages/01890000-0000-7000-8000-00000000dead/reactions']) {
      expectRefusal(await ada.get(`/rooms/${secret.id}/${path}`), 'unprocessable', { reason: 'no_such_room' })
      expectRefusal(await (await newPerson()).get(`/rooms/${room.id}/${path}`), 'unprocessable', {
        reason: 'no_such_room',
      })
    }
    const { id: members } = await role('CHANNEL_MEMBER')
    expectOk(await owner.put(`${at}/rooms/${room.id}/overrides/${members}`, { allow: [], deny: ['read_text_room'] }))
    expectRefusal(await ada.get(`/rooms/${room.id}/history`), 'forbidden', { requiredRight: 'read_text_room' })
    expectOk(await owner.delete(`${at}/members/${ada.id}`))
    expectRefusal(await ada.get(`/rooms/${room.id}/history`), 'unprocessable', { reason: 'no_such_room' })
  })
})

describe('message.created', () => {
  test('carries everything that a portal shows, and for bots the documented fields', async () => {
    const { server, owner, people, bots, room, publishedEvents } = await channelFixture({ people: 1, bots: 1 })
    const [ada] = people
    const portal = await OpenPortal.of(server, ada)
    const first = await say(owner, room, `Morning, <@${ada.id}>`)
    const second = await say(ada, room, 'Morning', first)

    const { data, shown } = await portal.next(messageCreated)
    expect({ ...data.message, ...shown, reactions: [] }).toEqual((await history(ada, room.id)).messages[0])
    const reply = await portal.next(messageCreated)
    const [, whole] = (await history(ada, room.id)).messages
    const { replyToId, ...message } = reply.data.message
    expect(replyToId).toBe(first)
    expect({ ...message, ...reply.shown, reactions: [] }).toEqual(whole)

    const [one, two] = await publishedEvents()
    expect(Object.keys(one ?? {})).toEqual(['event', 'timestamp', 'channelId', 'data'])
    expect(two?.data).toEqual({
      roomId: room.id,
      message: {
        id: second,
        text: 'Morning',
        createdAt: expect.any(String),
        author: { id: ada.id, name: ada.name },
        replyToId: first,
      },
    })
    const page = expectOk(await bots[0].get<object>(`/rooms/${room.id}/messages?channelId=${room.channelId}`))
    expect(JSON.stringify(page)).not.toMatch(/avatar|mentions|channelNickname|reactions/)
  })

  test('is followed by edits with the names that they mention', async () => {
    const { server, owner, people, room } = await channelFixture({ people: 1 })
    const id = await say(owner, room, 'Hello')
    const portal = await OpenPortal.of(server, people[0])
    const text = `Hello, <@${people[0].id}>`
    expectOk(await owner.patch(`/rooms/${room.id}/messages/${id}`, { channelId: room.channelId, text }))
    expect((await portal.next(messageUpdated)).shown).toEqual({
      mentions: [{ id: people[0].id, name: people[0].name, channelNickname: null }],
    })
  })
})

describe('listReactors', () => {
  test('lists the people and bots for each emoji, in order of reaction', async () => {
    const { owner, people, bots, room } = await channelFixture({ people: 2, bots: 1 })
    const id = await say(owner, room, 'Lunch?')
    const react = async (person: Person | Bot, emoji: string) =>
      expectOk(await person.post(`/rooms/${room.id}/messages/${id}/reactions`, { channelId: room.channelId, emoji }))
    await react(people[1], '🍕')
    await react(people[0], '🍕')
    await react(owner, '👍')
    await react(bots[0], '👍')
    const { reactions } = expectOk(await people[0].get<Reactors>(`/rooms/${room.id}/messages/${id}/reactions`))
    expect(reactions.map(({ emoji, count, members }) => [emoji, count, members.map((member) => member.id)])).toEqual([
      ['🍕', 2, [people[1].id, people[0].id]],
      ['👍', 2, [owner.id, bots[0].id]],
    ])
    expect(reactions[1]?.members.map(({ isBot }) => isBot)).toEqual([false, true])
  })
})

describe.each(['stream', 'voice'] as const)('the chat of a %s room', (type) => {
  test('is for people: they see it live, and bots cannot use it', async () => {
    const { server, owner, people, bots, newRoom, channel, publishedEvents } = await channelFixture({
      people: 1,
      bots: 1,
    })
    const [ada] = people
    const { id: roomId } = await newRoom(type)
    const stage = { id: roomId, channelId: channel.id }
    const portal = await OpenPortal.of(server, ada)
    const id = await say(owner, stage, 'We are live')
    expect((await portal.next(messageCreated)).data.message).toMatchObject({ id, text: 'We are live' })
    expectOk(await ada.post(`/rooms/${roomId}/messages/${id}/reactions`, { channelId: channel.id, emoji: '🎉' }))
    const own = await say(ada, stage, 'Helo')
    expectOk(await ada.patch(`/rooms/${roomId}/messages/${own}`, { channelId: channel.id, text: 'Hello' }))
    expectOk(await owner.delete(`/rooms/${roomId}/messages/${id}`, { channelId: channel.id }))
    expect(texts(await history(owner, roomId))).toEqual(['Hello'])

    expect(await publishedEvents()).toEqual([])
    const message = `The room is a ${type} room; this needs a text room.`
    const wrong = { reason: 'wrong_room_type', message } as const
    const sent = await bots[0].post(`/rooms/${roomId}/messages`, { channelId: channel.id, text: 'Hi' })
    expectRefusal(sent, 'unprocessable', wrong)
    expectRefusal(await bots[0].get(`/rooms/${roomId}/messages?channelId=${channel.id}`), 'unprocessable', wrong)
  })
})
