import { messageCreated, messageUpdated, type Component, type Message, type Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { describe, expect, test } from 'vitest'
import type { Bot } from '../../test/bot.ts'
import { channelFixture, expectOk, portal } from '../../test/channel-fixture.ts'
import { expectRefusal } from '../../test/expect-refusal.ts'
import { OpenPortal } from '../../test/open-portal.ts'
import type { Person } from '../../test/person.ts'
import { Stream } from '../../test/stream.ts'
import { WebhookReceiver } from '../../test/webhook-receiver.ts'

await portal({ WEBHOOK_ALLOW_CIDR: '127.0.0.0/8' })

const KINDS = ['message.created', 'component.pressed']
const APPROVE: Component = { type: 'button', id: 'approve', label: 'Approve', style: 'primary' }
const WHERE: Component = {
  type: 'select',
  id: 'where',
  label: 'Deploy to',
  options: [
    { value: 'staging', label: 'Staging' },
    { value: 'live', label: 'Production' },
  ],
}
const gone = {
  reason: 'no_such_component',
  message: 'There is no such button or option anymore, or its bot has left.',
} as const

interface Place {
  readonly id: string
  readonly channelId: string
}

function send(bot: Pick<Bot, 'post'>, { id, channelId }: Place, components: unknown, headers = {}) {
  return bot.post<Message>(`/rooms/${id}/messages`, { channelId, text: 'Deploy?', components }, headers)
}

function edit(bot: Bot, { id, channelId }: Place, messageId: string, change: object) {
  const path = `/rooms/${id}/messages/${messageId}`
  return bot.patch<Output<typeof api.editMessage>>(path, { channelId, text: 'Deploy?', ...change })
}

function press(person: Person, { id, channelId }: Place, messageId: string, pressed: object) {
  const path = `/rooms/${id}/messages/${messageId}/presses`
  return person.post<Output<typeof api.pressComponent>>(path, { channelId, ...pressed })
}

/** The stream of a bot that asks for presses. */
function streamOf(server: Parameters<typeof Stream.with>[0], bot: Bot): Promise<Stream> {
  const path = `/events/token?kinds=${KINDS.join()}`
  return Stream.with(server, async () => expectOk(await bot.get<{ token: string }>(path)).token)
}

describe('the components of a message', () => {
  test('are in the answer, the history and events, and follow edits', async () => {
    const { server, owner, bots, room } = await channelFixture({ bots: 1 })
    const [bot] = bots
    const open = await OpenPortal.of(server, owner)
    const sent = expectOk(await send(bot, room, [APPROVE, WHERE]))
    expect(sent.components).toEqual([APPROVE, WHERE])
    expect((await open.next(messageCreated)).data.message.components).toEqual([APPROVE, WHERE])
    const list = async () =>
      expectOk(await bot.get<{ messages: Message[] }>(`/rooms/${room.id}/messages?channelId=${room.channelId}`))
        .messages
    expect(await list()).toEqual([sent])
    const path = `/rooms/${room.id}/history?channelId=${room.channelId}`
    const history = expectOk(await owner.get<Output<typeof api.readHistory>>(path))
    expect(history.messages).toMatchObject([{ components: [APPROVE, WHERE] }])

    expect(expectOk(await edit(bot, room, sent.id, { text: 'Deploy it?' }))).toMatchObject({
      components: [APPROVE, WHERE],
    })
    expect(expectOk(await edit(bot, room, sent.id, { components: [] }))).not.toHaveProperty('components')
    const seen = [await open.next(messageUpdated), await open.next(messageUpdated)]
    expect(seen.map(({ data }) => data.message.components)).toEqual([[APPROVE, WHERE], undefined])
    expect((await list())[0]).not.toHaveProperty('components')
    expect(expectOk(await send(owner, room, [APPROVE]))).not.toHaveProperty('components')
  })

  test.each<[string, unknown, string]>([
    [
      'eleven',
      Array.from({ length: 11 }, (_, at) => ({ ...APPROVE, id: String(at) })),
      'at most 10 buttons and selects',
    ],
    ['alike', [APPROVE, { ...WHERE, id: 'approve' }], 'components: must have different ids'],
    ['of another type', [{ ...APPROVE, type: 'link' }], 'components.0.type: must be one of button, select'],
    ['a select without options', [{ ...WHERE, options: undefined }], 'components.0: must have options'],
    ['a button with options', [{ ...WHERE, type: 'button' }], 'components.0: must have options only if'],
    ['a select with a style', [{ ...WHERE, style: 'danger' }], 'components.0: must have a style only if'],
    [
      'a select of one value twice',
      [{ ...WHERE, options: [1, 2].map(() => ({ value: 'a', label: 'b' })) }],
      'different',
    ],
  ])('are refused if they are %s', async (_name, components, message) => {
    const { bots, room } = await channelFixture({ bots: 1 })
    const refused = await send(bots[0], room, components)
    expect(refused).toMatchObject({ status: 400, body: { message: expect.stringContaining(message) as string } })
  })

  test('leave nothing behind when the message is deleted', async () => {
    const { server, bots, room } = await channelFixture({ bots: 1 })
    const label = 'zirconium'
    const { id } = expectOk(await send(bots[0], room, [{ ...APPROVE, label }], { 'idempotency-key': 'once' }))
    expectOk(await bots[0].delete(`/rooms/${room.id}/messages/${id}`, { channelId: room.channelId }))
    for (const table of ['messages', 'events', 'idempotency_keys']) {
      const found = `SELECT FROM ${table} t WHERE t::text LIKE '%' || $1 || '%'`
      expect((await server.services.database.pool.query(found, [label])).rowCount, table).toBe(0)
    }
  })
})

describe('pressComponent', () => {
  test('sends an event to the application that wrote the message only, once it asks, also after a disconnection', async () => {
    const { server, people, bots, room } = await channelFixture({ people: 1, bots: 2 })
    const [ada] = people
    const [bot, other] = bots
    const open = await OpenPortal.of(server, ada)
    const [stream, foreign, plain] = [await streamOf(server, bot), await streamOf(server, other), bot]
    const { id } = expectOk(await send(plain, room, [APPROVE, WHERE]))
    const { id: pressId } = expectOk(await press(ada, room, id, { componentId: 'approve' }))
    stream.client.disconnect()
    expectOk(await press(ada, room, id, { componentId: 'where', value: 'live' }))
    stream.client.connect()
    const user = { id: ada.id, name: ada.name }
    const events = await stream.first(2)
    expect(events).toMatchObject([
      {
        event: 'component.pressed',
        channelId: room.channelId,
        data: { roomId: room.id, messageId: id, componentId: 'approve', pressId, user },
      },
      { event: 'component.pressed', data: { componentId: 'where', value: 'live', user } },
    ])
    expect(events[0]?.data).not.toHaveProperty('value')
    // The other bot has received the message, and what comes after the presses, but not the presses.
    expectOk(await send(plain, room, []))
    await foreign.until(() => foreign.received.length === 2)
    expect(foreign.received.map(({ envelope }) => envelope.event)).toEqual(['message.created', 'message.created'])
    expect(open.kinds).not.toContain('component.pressed')
  })

  test('is delivered to a webhook that asks for it, and never without asking', async () => {
    const { owner, bots, room } = await channelFixture({ bots: 2 })
    const receivers = [await WebhookReceiver.start('127.0.0.1'), await WebhookReceiver.start('127.0.0.1')] as const
    expectOk(await bots[0].put('/webhook', { url: receivers[0].url, kinds: ['component.pressed'] }))
    expectOk(await bots[1].put('/webhook', { url: receivers[1].url }))
    const ids = []
    for (const bot of bots) ids.push(expectOk(await send(bot, room, [APPROVE])).id)
    for (const id of ids) expectOk(await press(owner, room, id, { componentId: 'approve' }))
    expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text: 'Done' }))
    await receivers[0].until(() => receivers[0].received.length === 1)
    expect(receivers[0].received[0]?.event).toMatchObject({ event: 'component.pressed', data: { messageId: ids[0] } })
    // The message of the other bot, and the person's, which came after the presses.
    await receivers[1].until(() => receivers[1].received.length === 2)
    expect(receivers[1].received.map(({ event }) => event)).toMatchObject([
      { event: 'message.created' },
      { event: 'message.created' },
    ])
  })

  test('refuses what the message doesn’t have anymore, and a bot that is gone', async () => {
    const { owner, people, bots, room, at } = await channelFixture({ people: 1, bots: 1 })
    const [bot] = bots
    const { id } = expectOk(await send(bot, room, [APPROVE, WHERE]))
    for (const pressed of [
      { componentId: 'other' },
      { componentId: 'approve', value: 'live' },
      { componentId: 'where' },
      { componentId: 'where', value: 'elsewhere' },
    ]) {
      expectRefusal(await press(people[0], room, id, pressed), 'unprocessable', gone)
    }
    expectOk(await edit(bot, room, id, { components: [WHERE] }))
    expectRefusal(await press(people[0], room, id, { componentId: 'approve' }), 'unprocessable', gone)
    expectOk(await owner.delete(`${at}/applications/${bot.application.id}`))
    expectRefusal(await press(people[0], room, id, { componentId: 'where', value: 'live' }), 'unprocessable', gone)
  })

  test('refuses those who can’t read the room, and messages of other rooms', async () => {
    const { people, bots, room, newRoom, newPerson, owner, at } = await channelFixture({ people: 1, bots: 1 })
    const hidden = await newRoom('text', { private: true })
    expectOk(await owner.put(`${at}/rooms/${hidden.id}/admissions`, { roleIds: [], memberIds: [bots[0].id] }))
    const secret = { id: hidden.id, channelId: room.channelId }
    const { id } = expectOk(await send(bots[0], secret, [APPROVE]))
    expect((await press(people[0], secret, id, { componentId: 'approve' })).status).toBe(422)
    expectRefusal(await press(people[0], room, id, { componentId: 'approve' }), 'unprocessable', gone)
    expect((await press(await newPerson(), room, id, { componentId: 'approve' })).status).toBe(403)
    expectOk(await press(owner, secret, id, { componentId: 'approve' }))
  })
})
