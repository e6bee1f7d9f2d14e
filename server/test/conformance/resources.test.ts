import type { Message, Output, Role, Room } from '@portico/contract'
import type * as api from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { expectOk, portal, channelFixture } from '../channel-fixture.ts'

type Profile = Output<typeof api.getProfile>

/** The fields of resources that bots receive. */
describe('resources', () => {
  test('systemName: the name of each system role, and CUSTOM for custom roles; role is the highest, roles lists all', async () => {
    const { bots, at, channel, give, newRole, role } = await channelFixture({ bots: 1 })
    const [bot] = bots
    const own = await newRole('Night watch', [])
    const seen = async () => {
      const { channels } = expectOk(await bot.get<Profile>('/me'))
      const { members } = expectOk(
        await bot.get<{ members: { id: string; roles: Partial<Role>[] }[] }>(`${at}/members`),
      )
      const roles = members.find(({ id }) => id === bot.id)?.roles
      expect(channels.map(({ id }) => id)).toEqual([channel.id])
      return [channels[0]?.role, roles]
    }
    const title = ({ systemName, name }: Role) => ({ systemName, name })
    for (const systemName of ['CHANNEL_BOT', 'CHANNEL_MEMBER', 'CHANNEL_MODERATOR', 'CHANNEL_ADMIN'] as const) {
      await give(bot, systemName)
      const shown = title(await role(systemName))
      expect(await seen()).toEqual([shown, [shown]])
    }
    await give(bot, 'CHANNEL_BOT', own)
    expect(await seen()).toEqual([title(own), [title(own), title(await role('CHANNEL_BOT'))]])
    await give(bot, 'CHANNEL_MODERATOR', own)
    const moderator = title(await role('CHANNEL_MODERATOR'))
    expect(await seen()).toEqual([moderator, [moderator, title(own)]])
  })

  test('the owner’s role is CHANNEL_OWNER', async () => {
    const { bots, at, owner } = await channelFixture({ bots: 1 })
    const { members } = expectOk(await bots[0].get<{ members: { id: string; roles: unknown[] }[] }>(`${at}/members`))
    expect(members.find(({ id }) => id === owner.id)?.roles).toEqual([{ systemName: 'CHANNEL_OWNER', name: 'Owner' }])
  })

  test('writeRestricted: the room denies write_text_room to CHANNEL_MEMBER', async () => {
    const { bots, at, owner, room, role } = await channelFixture({ bots: 1 })
    const [bot] = bots
    const restricted = async () => {
      const { rooms } = expectOk(await bot.get<{ rooms: Room[] }>(`${at}/rooms`))
      return rooms.find(({ id }) => id === room.id)?.writeRestricted
    }
    const deny = async (systemName: 'CHANNEL_MEMBER' | 'CHANNEL_BOT', rights: string[]) =>
      expectOk(
        await owner.put(`${at}/rooms/${room.id}/overrides/${(await role(systemName)).id}`, { allow: [], deny: rights }),
      )
    expect(await restricted()).toBe(false)
    await deny('CHANNEL_BOT', ['write_text_room'])
    expect(await restricted()).toBe(false)
    await deny('CHANNEL_MEMBER', ['react_text_msg'])
    expect(await restricted()).toBe(false)
    await deny('CHANNEL_MEMBER', ['write_text_room'])
    expect(await restricted()).toBe(true)
  })

  test('private rooms are omitted from the list, even when the bot is admitted to them; it can work in them then', async () => {
    const { bots, at, channel, owner, newRoom, role } = await channelFixture({ bots: 2 })
    const [bot, other] = bots
    const hidden = await newRoom('text', { private: true })
    const send = (by = bot) => by.post(`/rooms/${hidden.id}/messages`, { channelId: channel.id, text: 'Psst' })
    const read = (by = bot) => by.get(`/rooms/${hidden.id}/messages?channelId=${channel.id}`)
    const listed = async () => expectOk(await bot.get<{ rooms: Room[] }>(`${at}/rooms`)).rooms.map(({ id }) => id)
    for (const answer of [await send(), await read()]) expect(answer).toMatchObject({ status: 422 })

    expectOk(await owner.put(`${at}/rooms/${hidden.id}/admissions`, { roleIds: [], memberIds: [bot.id] }))
    expect(await listed()).not.toContain(hidden.id)
    expect((await send()).status).toBe(201)
    expect((await read()).status).toBe(200)
    expect((await send(other)).status).toBe(422)

    expectOk(
      await owner.put(`${at}/rooms/${hidden.id}/admissions`, {
        roleIds: [(await role('CHANNEL_BOT')).id],
        memberIds: [],
      }),
    )
    expect((await send(other)).status).toBe(201)
    expect(await listed()).not.toContain(hidden.id)
  })

  test('userLimit and users are on voice rooms only', async () => {
    const { bots, at, newRoom } = await channelFixture({ bots: 1 })
    await newRoom('voice', { userLimit: 7 })
    await newRoom('stream')
    const { rooms } = expectOk(await bots[0].get<{ rooms: Room[] }>(`${at}/rooms`))
    for (const room of rooms) {
      expect('userLimit' in room, room.type).toBe(room.type === 'voice')
      expect('users' in room, room.type).toBe(room.type === 'voice')
      expect(room).not.toHaveProperty('private')
    }
    expect(rooms.map(({ userLimit }) => userLimit)).toContain(7)
  })

  test('rooms are in the order of the portal', async () => {
    const { bots, at, owner, newRoom } = await channelFixture({ bots: 1 })
    const made = [await newRoom('text'), await newRoom('voice'), await newRoom('text')].map(({ id }) => id)
    expectOk(await owner.put(`${at}/order`, { rooms: made.toReversed().map((id) => ({ id })) }))
    const { rooms } = expectOk(await bots[0].get<{ rooms: Room[] }>(`${at}/rooms`))
    expect(rooms.map(({ id }) => id).filter((id) => made.includes(id))).toEqual(made.toReversed())
    expect(rooms.map(({ sort }) => sort)).toEqual(rooms.map(({ sort }) => sort).toSorted((a, b) => a - b))
  })

  test('avatar is a file served under /media/avatars/; with avatarVersion it may be cached forever', async () => {
    const { bots } = await channelFixture({ bots: 1 })
    const { bot } = expectOk(await bots[0].get<Profile>('/me'))
    const { server } = await portal()
    const file = await fetch(`${server.url}/media/avatars/${bot.avatar}?v=${bot.avatarVersion}`)
    expect(file.status).toBe(200)
    expect(file.headers.get('cache-control')).toContain('immutable')
  })

  test('renaming an application renames its bot, on old messages too', async () => {
    const { bots, owner, channel, room } = await channelFixture({ bots: 1 })
    const [bot] = bots
    expectOk(await bot.post(`/rooms/${room.id}/messages`, { channelId: channel.id, text: 'Before' }))
    expectOk(await owner.patch(`/applications/${bot.application.id}`, { name: 'New name' }))
    expect(expectOk(await bot.get('/me'))).toMatchObject({
      application: { name: 'New name' },
      bot: { id: bot.id, name: 'New name', avatarVersion: 2 },
    })
    const { messages } = expectOk(
      await bot.get<{ messages: Message[] }>(`/rooms/${room.id}/messages?channelId=${channel.id}`),
    )
    expect(messages).toMatchObject([{ text: 'Before', author: { id: bot.id, name: 'New name' } }])
  })
})
