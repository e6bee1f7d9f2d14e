import { BOT_EVENTS, DEFAULT_EVENTS, OPT_IN_EVENTS, type EventToken, type StreamState } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import type { Bot } from '../../test/bot.ts'
import { channelFixture, expectOk } from '../../test/channel-fixture.ts'
import { eventually } from '../../test/eventually.ts'
import { expectRefusal } from '../../test/expect-refusal.ts'
import { Stream } from '../../test/stream.ts'
import { startRemovingChannels } from '../channels/remove-channels.ts'
import { sweep } from '../maintenance.ts'
import { BOT_EVENT_KINDS } from '../events/bot-event-kinds.ts'

/** Of which kinds a stream gets events. */
function streamOf(server: Parameters<typeof Stream.with>[0], bot: Bot, kinds: readonly string[]): Promise<Stream> {
  const path = `/events/token?kinds=${kinds.join()}`
  return Stream.with(server, async () => expectOk(await bot.get<EventToken>(path)).token)
}

function received({ received }: Stream) {
  return received.map(({ envelope: { event, data } }) => [event, data])
}

describe('the kinds of a token', () => {
  test('are those of the contract', () => {
    const names = (kinds: typeof BOT_EVENT_KINDS) => kinds.map(({ event }) => event).toSorted()
    expect(names(BOT_EVENT_KINDS.filter(({ optIn }) => !optIn))).toEqual(DEFAULT_EVENTS)
    expect(names(BOT_EVENT_KINDS.filter(({ optIn }) => optIn))).toEqual(OPT_IN_EVENTS)
  })

  test('are returned if the request names them', async () => {
    const { bots } = await channelFixture({ bots: 1 })
    const ask = async (query: string) => expectOk(await bots[0].get<EventToken>(`/events/token${query}`))
    expect(await ask('?kinds=member.joined,member.left')).toMatchObject({ kinds: ['member.joined', 'member.left'] })
    expect(Object.keys(await ask(''))).toEqual(['token', 'channel', 'url', 'expiresIn'])
  })

  test.each([
    ['member.jumped', 'member.joined'],
    ['', 'member.joined'],
    ['member.joined,', 'member.joined'],
    ['member.joined,member.joined', 'list of different kinds'],
    ['member.joined&kinds=member.left', 'must not be repeated'],
    [[...BOT_EVENTS, 'message.created'].join(), 'list of different kinds'],
  ])('are refused as %j', async (kinds, said) => {
    const { bots } = await channelFixture({ bots: 1 })
    const answer = await bots[0].get<{ message: string }>(`/events/token?kinds=${kinds}`)
    expectRefusal(answer, 'badRequest', { field: expect.stringMatching(/^kinds/) })
    expect(answer.body.message).toContain(said)
  })
})

describe('a stream', () => {
  test('that asks for nothing gets no opt-in events, at once or later', async () => {
    const { server, owner, bots, at, room, newPerson } = await channelFixture({ bots: 1 })
    const stream = await Stream.of(server, bots[0])
    const change = async (text: string) => {
      const person = await newPerson()
      expectOk(await person.post(`${at}/join`))
      expectOk(await person.delete(`${at}/membership`))
      expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text }))
    }
    await change('live')
    await stream.first(1)
    stream.cut()
    await change('recovered')
    await stream.first(2)
    expect(received(stream).map(([event]) => event)).toEqual(['message.created', 'message.created'])
  })

  test('gets who joins and leaves, live and recovered, and nothing that it didn’t name', async () => {
    const { server, owner, bots, at, room, newPerson, newBot } = await channelFixture({ bots: 1 })
    const stream = await streamOf(server, bots[0], ['member.joined', 'member.left'])
    expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text: 'not asked for' }))

    const [ada, bob] = [await newPerson(), await newPerson()]
    expectOk(await ada.post(`${at}/join`))
    expectOk(await ada.put(`${at}/members/${ada.id}/nickname`, { nickname: 'Countess' }))
    expectOk(await ada.delete(`${at}/membership`))
    await stream.first(2)
    stream.cut()
    expectOk(await bob.post(`${at}/join`))
    expectOk(await owner.delete(`${at}/members/${bob.id}`))
    const other = await newBot()
    await stream.first(5)

    expect(received(stream)).toEqual([
      ['member.joined', { user: { id: ada.id, name: ada.name }, isBot: false }],
      ['member.left', { user: { id: ada.id, name: 'Countess' }, isBot: false }],
      ['member.joined', { user: { id: bob.id, name: bob.name }, isBot: false }],
      ['member.left', { user: { id: bob.id, name: bob.name }, isBot: false }],
      ['member.joined', { user: { id: other.id, name: other.name }, isBot: true }],
    ])
    const offsets = stream.received.map(({ offset }) => offset)
    expect(offsets).toEqual(offsets.toSorted((one, another) => one - another))
    for (const { envelope } of stream.received) {
      expect(Object.keys(envelope)).toEqual(['event', 'timestamp', 'channelId', 'data'])
    }
  })

  test('gets whom the bot itself removed, and nothing about the bot itself', async () => {
    const { server, people, bots, at, allow } = await channelFixture({ people: 1, bots: 1 })
    const [bot] = bots
    await allow(bot, 'kick_member')
    const stream = await streamOf(server, bot, OPT_IN_EVENTS)
    expectOk(await bot.delete(`${at}/members/${people[0].id}`))
    await stream.first(1)
    expect(received(stream)).toEqual([
      ['member.left', { user: { id: people[0].id, name: people[0].name }, isBot: false }],
    ])
  })

  test('gets where its application is installed and removed, which others aren’t told', async () => {
    const { server, owner, bots, at, channel, install } = await channelFixture({ bots: 2 })
    const [bot, other] = bots
    const stream = await streamOf(server, bot, OPT_IN_EVENTS)
    const others = await streamOf(server, other, OPT_IN_EVENTS)
    const place = { id: channel.id, name: channel.name }
    const remove = async () => expectOk(await owner.delete(`${at}/applications/${bot.application.id}`))

    await remove()
    await stream.first(1)
    stream.cut()
    await install(bot)
    await remove()
    await stream.first(3)
    await others.first(3)

    expect(received(stream)).toEqual([
      ['application.removed', { channel: place }],
      ['application.installed', { channel: place, role: { systemName: 'CHANNEL_BOT', name: expect.any(String) } }],
      ['application.removed', { channel: place }],
    ])
    expect(received(others).map(([event]) => event)).toEqual(['member.left', 'member.joined', 'member.left'])
  })

  test('gets, also later, that a channel was deleted', async () => {
    const { server, owner, bots, channel } = await channelFixture({ bots: 1 })
    const stream = await streamOf(server, bots[0], OPT_IN_EVENTS)
    stream.client.disconnect()
    expectOk(await owner.delete(`/channels/${channel.id}`, { name: channel.name }))
    const { kysely } = server.services.database
    const rows = async () => kysely.selectFrom('channels').select('id').where('id', '=', channel.id).execute()
    await startRemovingChannels(server.services)()
    await eventually(rows).toEqual([])
    await sweep(server.services)
    stream.client.connect()
    await stream.first(1)
    expect(received(stream)).toEqual([['application.removed', { channel: { id: channel.id, name: channel.name } }]])
  })

  test('shows its owner what it asked for', async () => {
    const { server, owner, bots } = await channelFixture({ bots: 1 })
    const [bot] = bots
    const state = async () => expectOk(await owner.get<StreamState>(`/applications/${bot.application.id}/stream`))
    const stream = await streamOf(server, bot, ['member.joined'])
    await eventually(state).toMatchObject({ kinds: ['member.joined'] })
    stream.client.disconnect()
    await Stream.of(server, bot)
    await eventually(state).toMatchObject({ kinds: null })
  })
})
