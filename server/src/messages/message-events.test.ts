import type { Message } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { channelFixture, expectOk } from '../../test/channel-fixture.ts'
import type { Person } from '../../test/person.ts'

describe('events of messages', () => {
  test('name the person who sent, replied, edited, reacted or deleted', async () => {
    const { people, owner, room, channel, publishedEvents } = await channelFixture({ people: 2 })
    const [ada, ben] = people
    const messages = `/rooms/${room.id}/messages`
    const channelId = channel.id
    const send = (who: Person, text = 'Hello', more: object = {}) =>
      who.post<Message>(messages, { channelId, text, ...more })
    const history = async (who: Person) =>
      expectOk(await who.get<{ messages: Message[] }>(`${messages}?channelId=${channelId}`)).messages
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
})
