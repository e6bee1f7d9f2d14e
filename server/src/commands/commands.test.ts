import { describe, expect, test } from 'vitest'
import { done, world } from '../../test/world.ts'

const HELP = [{ name: '/help', description: 'Helps' }]

describe('listChannelCommands', () => {
  test('of a private room offers only the bots that it admits', async () => {
    const { owner, bots, at, newRoom } = await world({ bots: 2 })
    for (const bot of bots) done(await bot.put('/commands', { commands: HELP }))
    const room = await newRoom('text', { private: true })
    const offered = async () =>
      done(await owner.get<{ commands: { bot: { id: string } }[] }>(`${at}/commands?roomId=${room.id}`)).commands.map(
        ({ bot }) => bot.id,
      )
    expect(await offered()).toEqual([])

    done(await owner.put(`${at}/rooms/${room.id}/admissions`, { memberIds: [owner.id, bots[1].id], roleIds: [] }))
    expect(await offered()).toEqual([bots[1].id])
  })

  test('heeds what the room denies to the role of a bot, and a mute', async () => {
    const { owner, bots, at, room, role } = await world({ bots: 1 })
    const [bot] = bots
    done(await bot.put('/commands', { commands: HELP }))
    const count = async () =>
      done(await owner.get<{ commands: unknown[] }>(`${at}/commands?roomId=${room.id}`)).commands.length
    expect(await count()).toBe(1)

    const override = `${at}/rooms/${room.id}/overrides/${(await role('CHANNEL_BOT')).id}`
    done(await owner.put(override, { allow: [], deny: ['write_text_room'] }))
    expect(await count()).toBe(0)
    done(await owner.put(override, { allow: [], deny: [] }))
    expect(await count()).toBe(1)

    done(await owner.put(`${at}/members/${bot.id}/chat-mute`, {}))
    expect(await count()).toBe(0)
  })
})

describe('replaceCommands', () => {
  test('tells every channel of the bot when the list changed, and only then', async () => {
    const { server, bots, channel } = await world({ bots: 1 })
    const [bot] = bots
    const told = async () => {
      const { kysely } = server.parts.database
      const rows = await kysely
        .selectFrom('events')
        .select('body')
        .where('channel_id', '=', channel.id)
        .where('event', '=', 'channel.changed')
        .execute()
      return rows.filter(({ body }) => body.includes('"subject":"command"')).length
    }

    done(await bot.put('/commands', { commands: HELP }))
    expect(await told()).toBe(1)
    done(await bot.put('/commands', { commands: HELP }))
    expect(await told()).toBe(1)
    done(await bot.put('/commands', { commands: [] }))
    expect(await told()).toBe(2)
  })
})
