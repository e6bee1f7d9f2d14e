import type { Message, Output, Room } from '@portico/contract'
import type * as api from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { newId } from '../../src/operations/ids.ts'
import type { Person } from '../person.ts'
import { expectOk, channelFixture } from '../channel-fixture.ts'

/** The same operations through the portal: what holds for bots holds for people. */
describe('people', () => {
  const community = async () => {
    const made = await channelFixture({ people: 2 })
    const { channel, room, at } = made
    const [ada, ben] = made.people
    const messages = `/rooms/${room.id}/messages`
    const channelId = channel.id
    const send = (who: Person, text = 'Hello', more: object = {}) =>
      who.post<Message>(messages, { channelId, text, ...more })
    const history = async (who: Person) =>
      expectOk(await who.get<{ messages: Message[] }>(`${messages}?channelId=${channelId}`)).messages
    return { ...made, ada, ben, at, messages, channelId, send, history }
  }

  test('send, reply, edit, delete, react and pin, with events for bots that name the author', async () => {
    const { ada, ben, owner, room, messages, channelId, send, history, publishedEvents } = await community()
    const first = expectOk(await send(ada, 'First'))
    const reply = expectOk(await send(ben, 'Reply', { replyToId: first.id }))
    expectOk(await ben.patch(`${messages}/${reply.id}`, { channelId, text: 'Better' }))
    expectOk(await ada.post(`${messages}/${reply.id}/reactions`, { channelId, emoji: '❤' }))
    expectOk(await ben.post(`${messages}/${reply.id}/reactions`, { channelId, emoji: '❤️' }))
    expect((await ada.post(`${messages}/${first.id}/pin`, { channelId })).status).toBe(403)
    expectOk(await owner.post(`${messages}/${first.id}/pin`, { channelId }))
    expect(await history(ada)).toMatchObject([
      { id: reply.id, text: 'Better', replyToId: first.id, reactions: [{ emoji: '❤️', count: 2, mine: true }] },
      { id: first.id, pinnedAt: expect.any(String), reactions: [] },
    ])
    expect(expectOk(await ben.get(`/rooms/${room.id}/pins?channelId=${channelId}`))).toMatchObject({
      messages: [{ id: first.id }],
    })
    expectOk(await ben.delete(`${messages}/${reply.id}/reactions`, { channelId, emoji: '❤️' }))
    expectOk(await ben.delete(`${messages}/${reply.id}`, { channelId }))
    const by = ({ id, name }: Person) => ({ id, name })
    expect(
      (await publishedEvents()).map(({ event, data }) => [event, data['user'] ?? (data['message'] as Message).author]),
    ).toEqual([
      ['message.created', by(ada)],
      ['message.created', by(ben)],
      ['message.updated', by(ben)],
      ['reaction.added', by(ada)],
      ['reaction.added', by(ben)],
      ['reaction.removed', by(ben)],
      ['message.deleted', by(ben)],
    ])
  })

  test('edit and delete only their own; moderators can delete others’, which is written to the audit log', async () => {
    const { ada, ben, owner, at, messages, channelId, send, history, give } = await community()
    const { id } = expectOk(await send(ada))
    expect((await ben.patch(`${messages}/${id}`, { channelId, text: 'Mine' })).status).toBe(403)
    expect((await ben.delete(`${messages}/${id}`, { channelId })).status).toBe(403)
    await give(ben, 'CHANNEL_MODERATOR')
    expect((await ben.patch(`${messages}/${id}`, { channelId, text: 'Mine' })).status).toBe(403)
    expect((await ben.delete(`${messages}/${id}`, { channelId })).status).toBe(204)
    expect(await history(ada)).toEqual([])
    const { entries } = expectOk(await owner.get<{ entries: unknown[] }>(`${at}/audit-log`))
    expect(entries[0]).toMatchObject({ action: 'message.deleted', actor: { id: ben.id }, targetId: ada.id })
  })

  test('text, emoji and ids are held to the same rules', async () => {
    const { ada, messages, channelId, send } = await community()
    for (const text of ['', ' ', 'a\u0000', 'x'.repeat(4001), '\ud800'])
      expect((await send(ada, text)).status).toBe(400)
    expect((await send(ada, '😀'.repeat(4000))).status).toBe(201)
    expect((await send(ada, 'Reply', { replyToId: newId() })).status).toBe(422)
    const { id } = expectOk(await send(ada))
    expect((await ada.post(`${messages}/${id}/reactions`, { channelId, emoji: 'x' })).status).toBe(400)
    expect((await ada.get(`${messages}?channelId=${channelId}&beforeId=${newId()}`)).status).toBe(422)
  })

  test('repeats with an Idempotency-Key send once; people have no quotas', async () => {
    const { ada, messages, channelId, history } = await community()
    const key = { 'idempotency-key': newId() }
    const once = () => ada.request<Message>('POST', messages, { channelId, text: 'Once' }, key)
    const answers = await Promise.all(Array.from({ length: 10 }, once))
    expect(new Set(answers.map((answer) => expectOk(answer).id)).size).toBe(1)
    expect(await history(ada)).toHaveLength(1)
    const many = await Promise.all(
      Array.from({ length: 70 }, (_, n) => ada.post(messages, { channelId, text: `${n}` })),
    )
    expect(many.filter(({ status }) => status !== 201)).toEqual([])
  })

  test('cannot send, edit or react under a chat mute, immediately', async () => {
    const { ada, ben, at, messages, channelId, send, give } = await community()
    await give(ben, 'CHANNEL_MODERATOR')
    const { id } = expectOk(await send(ada))
    expectOk(await ben.put(`${at}/members/${ada.id}/chat-mute`, { reason: 'Calm down' }))
    for (const answer of [
      await send(ada),
      await ada.patch(`${messages}/${id}`, { channelId, text: 'Louder' }),
      await ada.post(`${messages}/${id}/reactions`, { channelId, emoji: '👍' }),
    ]) {
      expect(answer.status).toBe(403)
    }
    expect((await ada.get(`${messages}?channelId=${channelId}`)).status).toBe(200)
    expectOk(await ben.delete(`${at}/members/${ada.id}/chat-mute`))
    expect((await send(ada)).status).toBe(201)
  })

  test('private rooms and write restrictions hold', async () => {
    const { ada, owner, at, channelId, newRoom, room, send } = await community()
    const hidden = await newRoom('text', { private: true })
    expect((await ada.post(`/rooms/${hidden.id}/messages`, { channelId, text: 'Psst' })).status).toBe(422)
    const listed = async (who: Person) =>
      expectOk(await who.get<{ rooms: Room[] }>(`${at}/rooms`)).rooms.map(({ id }) => id)
    expect(await listed(ada)).not.toContain(hidden.id)
    expectOk(await owner.put(`${at}/rooms/${hidden.id}/admissions`, { roleIds: [], memberIds: [ada.id] }))
    expect((await ada.post(`/rooms/${hidden.id}/messages`, { channelId, text: 'Psst' })).status).toBe(201)
    expect(await listed(ada)).toContain(hidden.id)

    expectOk(await owner.patch(`${at}/rooms/${room.id}`, { writeRestricted: true }))
    expect(await send(ada)).toMatchObject({ status: 403, body: { requiredRight: 'write_text_room' } })
    expect((await send(owner)).status).toBe(201)
  })

  test('join, move, mute and leave voice', async () => {
    const { ada, ben, owner, at, channelId, newRoom, give, publishedEvents } = await community()
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

  test('the bot API and the portal API do not accept each other’s credentials', async () => {
    const { server, ada } = await community()
    const { bots } = await channelFixture({ bots: 1 })
    const portal = await fetch(`${server.url}/portal/v1/channels`, { headers: { authorization: `Bot ${bots[0].key}` } })
    expect(portal.status).toBe(401)
    const cookie = { cookie: 'portico=nonsense' }
    expect((await fetch(`${server.url}/api/v1/me`, { headers: cookie })).status).toBe(401)
    expect((await ada.get('/me')).status).toBe(404)
  })
})
