import type { Output, Room } from '@portico/contract'
import type * as api from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { expectOk, channelFixture } from '../../test/channel-fixture.ts'

type Listed = Output<typeof api.listChannelCommands>

const HELP = [{ name: '/help', description: 'Helps' }]

describe('listChannelCommands', () => {
  test('lists the private rooms that do not admit a bot, except those that the caller cannot see', async () => {
    const { owner, people, bots, at, newRoom, role } = await channelFixture({ people: 1, bots: 2 })
    for (const bot of bots) expectOk(await bot.put('/commands', { commands: HELP }))
    const room = await newRoom('text', { private: true })
    await newRoom('voice', { private: true })
    const silent = async (person = owner) => {
      const listed = expectOk(await person.get<Listed>(`${at}/commands`)).silent
      for (const { roomIds } of listed) expect(roomIds).toEqual([room.id])
      return listed.map(({ botId }) => botId).toSorted()
    }
    expect(await silent()).toEqual(bots.map(({ id }) => id).toSorted())
    expect(await silent(people[0])).toEqual([])

    const admissions = `${at}/rooms/${room.id}/admissions`
    expectOk(await owner.put(admissions, { memberIds: [owner.id, bots[1].id], roleIds: [] }))
    expect(await silent()).toEqual([bots[0].id])
    expectOk(await owner.put(admissions, { memberIds: [], roleIds: [(await role('CHANNEL_BOT')).id] }))
    expect(await silent()).toEqual([])
  })

  test('respects what the room denies to the bot’s role, and mutes', async () => {
    const { owner, bots, at, room, role } = await channelFixture({ bots: 1 })
    const [bot] = bots
    expectOk(await bot.put('/commands', { commands: HELP }))
    const silent = async () => expectOk(await owner.get<Listed>(`${at}/commands`)).silent
    const silentHere = [{ botId: bot.id, roomIds: [room.id] }]
    expect(await silent()).toEqual([])

    const override = `${at}/rooms/${room.id}/overrides/${(await role('CHANNEL_BOT')).id}`
    expectOk(await owner.put(override, { allow: [], deny: ['write_text_room'] }))
    expect(await silent()).toEqual(silentHere)
    expectOk(await owner.put(override, { allow: [], deny: [] }))
    expect(await silent()).toEqual([])

    expectOk(await owner.put(`${at}/members/${bot.id}/chat-mute`, {}))
    const { rooms } = expectOk(await owner.get<{ rooms: Room[] }>(`${at}/rooms`))
    const written = rooms.filter(({ type }) => type !== 'voice').map(({ id }) => id)
    expect(await silent()).toEqual([{ botId: bot.id, roomIds: written }])
  })
})

describe('replaceCommands', () => {
  test('says which bots have a webhook that is turned on', async () => {
    const { owner, bots, at } = await channelFixture({ bots: 2 })
    for (const bot of bots) expectOk(await bot.put('/commands', { commands: HELP }))
    expectOk(await bots[1].put('/webhook', { url: 'https://bot.example.com/' }))
    const withWebhook = async () => {
      const { commands } = expectOk(await owner.get<Listed>(`${at}/commands`))
      return commands.filter(({ bot }) => bot.hasWebhook).map(({ bot }) => bot.id)
    }
    expect(await withWebhook()).toEqual([bots[1].id])
    expectOk(await bots[1].delete('/webhook'))
    expect(await withWebhook()).toEqual([])
  })

  test('notifies every channel of the bot when the list changes, and only then', async () => {
    const { server, bots, channel } = await channelFixture({ bots: 1 })
    const [bot] = bots
    const notifications = async () => {
      const { kysely } = server.services.database
      const rows = await kysely
        .selectFrom('events')
        .select('body')
        .where('channel_id', '=', channel.id)
        .where('event', '=', 'channel.changed')
        .execute()
      return rows.filter(({ body }) => body.includes('"subject":"command"')).length
    }

    expectOk(await bot.put('/commands', { commands: HELP }))
    expect(await notifications()).toBe(1)
    expectOk(await bot.put('/commands', { commands: HELP }))
    expect(await notifications()).toBe(1)
    expectOk(await bot.put('/commands', { commands: [] }))
    expect(await notifications()).toBe(2)
  })
})
