import { messageCreated, voiceMemberLeft, type PublishedEvent } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { OpenPortal } from '../../test/open-portal.ts'
import type { Person } from '../../test/person.ts'
import { RawSocket } from '../../test/raw-socket.ts'
import { expectOk, channelFixture } from '../../test/channel-fixture.ts'
import { EventRecipients } from './event-recipients.ts'

const textOf = ({ data }: PublishedEvent<typeof messageCreated>): string => data.message.text

describe('an open portal', () => {
  test('receives messages as long as its person can read the room', async () => {
    const { server, owner, people, newRole, give, role, room, at } = await channelFixture({ people: 1 })
    const [ada] = people
    const members = await role('CHANNEL_MEMBER')
    const readers = await newRole('Readers', ['read_text_room'])
    const portal = await OpenPortal.of(server, ada)
    const own = await OpenPortal.of(server, owner)
    const say = async (text: string) => {
      expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text }))
      // Delivered to everyone before anything changes.
      await own.next(messageCreated)
    }
    const override = async (roleId: string, allow: string[], deny: string[]) =>
      expectOk(await owner.put(`${at}/rooms/${room.id}/overrides/${roleId}`, { allow, deny }))

    const nextText = async (): Promise<string> => textOf(await portal.next(messageCreated))

    await say('for all')
    expect(await nextText()).toBe('for all')
    await override(members.id, [], ['read_text_room'])
    await say('not for members')
    await override(readers.id, ['read_text_room'], [])
    await give(ada, 'CHANNEL_MEMBER', readers)
    await say('for readers')
    expect(await nextText()).toBe('for readers')
    await give(ada, 'CHANNEL_MEMBER')
    await say('again not')
    await override(members.id, [], [])
    await say('for all again')
    expect(await nextText()).toBe('for all again')
  })

  test('recovers only the missed events that its person may read', async () => {
    const { server, owner, people, newRoom, role, room, at } = await channelFixture({ people: 1 })
    const [ada] = people
    const { subscribe } = await subscribed(server, ada)
    const secret = await newRoom('text', { private: true })
    const closed = await newRoom('text')
    const { id: members } = await role('CHANNEL_MEMBER')
    expectOk(await owner.put(`${at}/rooms/${closed.id}/overrides/${members}`, { allow: [], deny: ['read_text_room'] }))
    for (const { id } of [secret, closed, room]) {
      expectOk(await owner.post(`/rooms/${id}/messages`, { channelId: room.channelId, text: `in ${id}` }))
    }
    const back = await subscribed(server, ada, { recover: true, epoch: subscribe?.epoch, offset: subscribe?.offset })
    const texts: string[] = []
    while (!texts.includes(`in ${room.id}`)) {
      const event = (await back.raw.next()).push?.pub.data
      if (event?.event === messageCreated.event) texts.push(textOf(event as PublishedEvent<typeof messageCreated>))
    }
    expect(texts).toEqual([`in ${room.id}`])
  })

  test('recovers nothing of a deleted room', async () => {
    const { server, owner, people, newRoom, role, room, at } = await channelFixture({ people: 1 })
    const { subscribe } = await subscribed(server, people[0])
    const [closed, open] = [await newRoom('text'), await newRoom('text')]
    const { id: members } = await role('CHANNEL_MEMBER')
    expectOk(await owner.put(`${at}/rooms/${closed.id}/overrides/${members}`, { allow: [], deny: ['read_text_room'] }))
    for (const { id } of [closed, open, room]) {
      expectOk(await owner.post(`/rooms/${id}/messages`, { channelId: room.channelId, text: `in ${id}` }))
    }
    for (const { id } of [closed, open]) expectOk(await owner.delete(`${at}/rooms/${id}`))
    const position = { recover: true, epoch: subscribe?.epoch, offset: subscribe?.offset }
    const back = await subscribed(server, people[0], position)
    const texts: string[] = []
    while (!texts.includes(`in ${room.id}`)) {
      const event = (await back.raw.next()).push?.pub.data
      if (event?.event === messageCreated.event) texts.push(textOf(event as PublishedEvent<typeof messageCreated>))
    }
    expect(texts).toEqual([`in ${room.id}`])
  })

  test('receives no message of a deleted room whose event is delivered late', async () => {
    const { server, people, owner, newRoom, room: main, at } = await channelFixture({ people: 1 })
    const { id: accountId } = people[0]
    const room = await newRoom('text')
    expectOk(await owner.delete(`${at}/rooms/${room.id}`))
    const recipients = new EventRecipients(server.services.database.pool)
    const inRoom = { channelId: main.channelId, roomId: room.id, botReaders: null }
    expect(await recipients.read({ ...inRoom, event: messageCreated.event }, [accountId])).toEqual(new Set())
    expect(await recipients.read({ ...inRoom, event: voiceMemberLeft.event }, [accountId])).toEqual(
      new Set([accountId]),
    )
  })
})

async function subscribed(server: { url: string }, { cookie }: Person, position: object = {}) {
  const raw = await RawSocket.open(server, { cookie, origin: server.url })
  raw.send({ id: 1, connect: {} }, { id: 2, subscribe: { channel: 'portal', ...position } })
  await raw.next()
  const { subscribe } = await raw.next()
  return { raw, subscribe }
}
