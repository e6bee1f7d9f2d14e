import { messageCreated, messageDeleted, type LogPosition } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { eventually } from '../../test/eventually.ts'
import { webhookFixture } from '../../test/webhook-fixture.ts'
import { OpenPortal } from '../../test/open-portal.ts'
import type { Person } from '../../test/person.ts'
import { RawSocket } from '../../test/raw-socket.ts'
import type { TestServer } from '../../test/start-server.ts'
import { Stream } from '../../test/stream.ts'
import { expectOk, portal, channelFixture, type ChannelFixture } from '../../test/channel-fixture.ts'

await portal({ WEBHOOK_ALLOW_CIDR: '127.0.0.0/8', WEBHOOK_RETRY_PAUSES: '0.1,0.1' })

const SECRET = 'the "secret" \\ of <@everybody>'

/** A message that is edited, replied to and deleted. */
async function sayAndDelete({ owner, room }: Pick<ChannelFixture<number, number>, 'owner' | 'room'>): Promise<void> {
  const { channelId } = room
  const at = `/rooms/${room.id}/messages`
  const { id } = expectOk(await owner.post<{ id: string }>(at, { channelId, text: SECRET }))
  expectOk(await owner.patch(`${at}/${id}`, { channelId, text: `${SECRET}, edited` }))
  expectOk(await owner.post(at, { channelId, text: 'a reply', replyToId: id }))
  expectOk(await owner.delete(`${at}/${id}`, { channelId }))
}

/** The current log position of a person's portal. */
async function positionOf(server: TestServer, { cookie }: Person): Promise<LogPosition> {
  const raw = await RawSocket.open(server, { cookie, origin: server.url })
  raw.send({ id: 1, connect: {} }, { id: 2, subscribe: { channel: 'portal' } })
  await raw.next()
  const { subscribe } = await raw.next()
  raw.socket.terminate()
  return { epoch: subscribe?.epoch ?? '', offset: subscribe?.offset ?? 0 }
}

describe('the text of a deleted message', () => {
  test.each(['json', 'protobuf'] as const)('is not recovered by a bot, in %s', async (codec) => {
    const made = await channelFixture({ bots: 1 })
    const stream = await Stream.of(made.server, made.bots[0], codec)
    stream.client.disconnect()
    await sayAndDelete(made)
    stream.client.connect()
    const events = await stream.first(4)
    expect(events).toMatchObject([
      { event: 'message.created', data: { message: { text: '', author: { id: made.owner.id } } } },
      { event: 'message.updated', data: { message: { text: '' } } },
      { event: 'message.created', data: { message: { text: 'a reply' } } },
      { event: 'message.deleted' },
    ])
    expect(Object.keys(events[0] ?? {})).toEqual(['event', 'timestamp', 'channelId', 'data'])
    expect(stream.subscriptions.at(-1)).toMatchObject({ recovered: true })
  })

  test('is not recovered by a person, nor quoted in a reply', async () => {
    const made = await channelFixture({ people: 1 })
    const since = await positionOf(made.server, made.people[0])
    await sayAndDelete(made)
    const open = await OpenPortal.of(made.server, made.people[0], since)
    await open.next(messageDeleted)
    const [created, reply] = open.eventsOf(messageCreated)
    expect(created).toMatchObject({ data: { message: { text: '' } }, shown: { mentions: [] } })
    expect(reply).toMatchObject({ shown: { replyTo: { author: null, text: '' } } })
    expect(JSON.stringify(open.eventsOf(messageCreated))).not.toContain('secret')
  })

  test('is not sent to a webhook when its deliveries resume', async () => {
    const made = await webhookFixture()
    const { owner, application, bot, receiver } = made
    expectOk(await owner.put(`${application}/key`, { scopes: ['messages:read'] }))
    await sayAndDelete(made)
    await bot.reissue()
    await receiver.until(() => receiver.received.length === 4)
    expect(receiver.received.map(({ text }) => text).join()).not.toContain('secret')
    expect(receiver.received[0]?.event).toMatchObject({ data: { message: { text: '' } } })
  })

  test('is not sent again by a retry, nor shown with the delivery', async () => {
    const { owner, room, say, receiver, deliveries, details, server } = await webhookFixture()
    const answering = Promise.withResolvers<() => void>()
    receiver.replies = [(response) => answering.resolve(() => response.writeHead(500).end()), 204]
    const { id } = await say(SECRET)
    const answer = await answering.promise
    expectOk(await owner.delete(`/rooms/${room.id}/messages/${id}`, { channelId: room.channelId }))
    answer()
    await eventually(() => deliveries()).toMatchObject([{ state: 'delivered' }, { state: 'delivered', attempts: 2 }])
    const [sent, ...later] = receiver.received
    expect(sent?.text).toContain('secret')
    expect(later.map(({ text }) => text).join()).not.toContain('secret')
    const [first] = (await deliveries()).slice(-1)
    expect((await details(first?.id ?? '')).body).not.toContain('secret')
    const { rows } = await server.services.database.pool.query(
      `SELECT body FROM events WHERE body || coalesce(shown, '') LIKE '%secret%'
        UNION ALL SELECT body FROM deliveries WHERE body LIKE '%secret%'`,
    )
    expect(rows).toEqual([])
  })
})

describe('a person who joins a channel', () => {
  test('recovers nothing that happened there before', async () => {
    const { server, owner, room, at, newPerson } = await channelFixture()
    const ada = await newPerson()
    const since = await positionOf(server, ada)
    const say = async (text: string) =>
      expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text }))
    await say('before')
    expectOk(await ada.post(`${at}/join`))
    await say('after')
    const open = await OpenPortal.of(server, ada, since)
    expect((await open.next(messageCreated)).data.message.text).toBe('after')
  })
})
