import type { Message, Output, Room } from '@portico/contract'
import type * as api from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { Bot } from '../bot.ts'
import { expectRefusal } from '../expect-refusal.ts'
import { expectShape } from '../expect-shape.ts'
import { expectOk, channelFixture } from '../channel-fixture.ts'

/** State changes of keys, installations, voice and commands through the bot API. Webhooks and sign-in have their own tests. */
describe('states', () => {
  test('application key, re-issued: the old one stops working immediately, the new one is shown once', async () => {
    const { owner, bots } = await channelFixture({ bots: 1 })
    const [bot] = bots
    const old = bot.key
    await bot.reissue(['voice'])
    expect(bot.key).not.toBe(old)
    expectRefusal(await bot.get('/me', { authorization: `Bot ${old}` }), 'unauthorized')
    expect((await bot.get('/me')).status).toBe(200)
    const shown = await owner.get(`/applications/${bot.application.id}`)
    expect(expectOk(shown)).toMatchObject({ key: { scopes: ['voice'] } })
    expect(JSON.stringify(shown.body)).not.toContain(bot.key)
  })

  test('application key, application deleted: invalid; access is lost everywhere, messages stay', async () => {
    const { owner, bots, channel, at, room } = await channelFixture({ bots: 1 })
    const [bot] = bots
    const { id } = expectOk(
      await bot.post<Message>(`/rooms/${room.id}/messages`, { channelId: channel.id, text: 'I was here' }),
    )
    expectOk(await owner.delete(`/applications/${bot.application.id}`, { name: bot.application.name }))
    expectRefusal(await bot.get('/me'), 'unauthorized')
    const { members } = expectOk(await owner.get<{ members: { id: string }[] }>(`${at}/members`))
    expect(members.map(({ id }) => id)).toEqual([owner.id])
    const { messages } = expectOk(
      await owner.get<{ messages: Message[] }>(`/rooms/${room.id}/messages?channelId=${channel.id}`),
    )
    expect(messages).toMatchObject([{ id, text: 'I was here', author: { id: bot.id, name: bot.name } }])
  })

  test('bot in a channel, removed: the key still works, access to that channel ends, messages stay', async () => {
    const here = await channelFixture({ bots: 1 })
    const there = await channelFixture()
    const [bot] = here.bots
    expectOk(await there.owner.put(`${there.at}/applications/${bot.application.id}`, {}))
    const send = (where: { room: { id: string; channelId: string } }) =>
      bot.post<Message>(`/rooms/${where.room.id}/messages`, { channelId: where.room.channelId, text: 'Hello' })
    expectOk(await send(here))
    expectOk(await send(there))

    expectOk(await here.owner.delete(`${here.at}/applications/${bot.application.id}`))
    expectRefusal(await send(here), 'forbidden', { reason: 'not_a_member' })
    expectRefusal(await bot.get(here.at), 'forbidden', { reason: 'not_a_member' })
    expectOk(await send(there))
    expect(expectOk(await bot.get('/me'))).toMatchObject({ channels: [{ id: there.channel.id }] })
    const { messages } = expectOk(
      await here.owner.get<{ messages: Message[] }>(`/rooms/${here.room.id}/messages?channelId=${here.channel.id}`),
    )
    expect(messages).toHaveLength(1)
    expectOk(await there.owner.delete(`${there.at}/applications/${bot.application.id}`))
    expect(expectOk(await bot.get('/me'))).toMatchObject({ channels: [] })
  })

  test('bot in a voice room: outside, joined and visible, left and gone; the same when it is removed', async () => {
    const { owner, bots, channel, at, room } = await channelFixture({ bots: 1, room: 'voice' })
    const [bot] = bots
    const inside = async () => {
      const { rooms } = expectOk(await owner.get<{ rooms: Room[] }>(`${at}/rooms`))
      return rooms.find(({ id }) => id === room.id)?.users?.map(({ id }) => id)
    }
    expect(await inside()).toEqual([])
    expectShape('joinVoice', await bot.post(`/rooms/${room.id}/voice`, { channelId: channel.id }))
    expect(await inside()).toEqual([bot.id])
    expectShape('leaveVoice', await bot.delete(`/rooms/${room.id}/voice`))
    expect(await inside()).toEqual([])
    expectOk(await bot.post(`/rooms/${room.id}/voice`, { channelId: channel.id }))
    expectOk(await owner.delete(`${at}/applications/${bot.application.id}`))
    expect(await inside()).toEqual([])
  })

  test('command list: equals the array that was sent last; an empty one clears it', async () => {
    const { bots } = await channelFixture({ bots: 1 })
    const [bot] = bots
    const names = async () =>
      expectOk(await bot.get<{ commands: { name: string }[] }>('/commands')).commands.map(({ name }) => name)
    const put = async (...names: string[]) =>
      expectOk(await bot.put('/commands', { commands: names.map((name) => ({ name, description: 'Does' })) }))
    expect(await names()).toEqual([])
    await put('/a', '/b', '/c')
    expect(await names()).toEqual(['/a', '/b', '/c'])
    await put('/c', '/a')
    expect(await names()).toEqual(['/c', '/a'])
    await put()
    expect(await names()).toEqual([])
  })

  test('commands belong to the application: every channel lists them, each with its bot, or none', async () => {
    const { owner, bots, at, room, allow } = await channelFixture({ bots: 2 })
    const [first, second] = bots
    const answer = async () => expectOk(await owner.get<Output<typeof api.listChannelCommands>>(`${at}/commands`))
    const listed = async () => (await answer()).commands
    expect(await listed()).toEqual([])
    expectOk(await first.put('/commands', { commands: [{ name: '/help', description: 'Helps' }] }))
    expect((await listed()).map(({ bot }) => bot.id)).toEqual([first.id])
    expectOk(await second.put('/commands', { commands: [{ name: '/help', description: 'Helps, too' }] }))
    expect((await listed()).map(({ name, bot }) => [name, bot.id])).toEqual([
      ['/help', first.id],
      ['/help', second.id],
    ])
    await allow(first, 'read_text_room')
    await allow(second, 'read_text_room', 'write_text_room')
    expect((await answer()).silent).toEqual([{ botId: first.id, roomIds: expect.arrayContaining([room.id]) }])
  })

  test('an application that is installed nowhere has an empty list of channels', async () => {
    const { server, owner } = await channelFixture()
    const bot = await Bot.of(server, owner, 'Nowhere yet')
    expect(expectOk(await bot.get('/me'))).toMatchObject({ channels: [] })
  })
})
