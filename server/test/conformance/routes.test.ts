import { operations, type Message, type Role, type Room } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { expectShape } from '../expect-shape.ts'
import { requestOf, botApiFixture } from '../bot-api-fixture.ts'
import { expectOk, portal } from '../channel-fixture.ts'
import { EVENT_ROWS, operationAt, ROWS } from './service-table.ts'
import { MEDIA_ON } from '../start-server.ts'

// Without media nobody can talk, whatever the roles say.
await portal(MEDIA_ON)

const anId = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
const anInstant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

/** Each route with its request and its exact answer. */
describe('routes', () => {
  const fixture = botApiFixture()

  test.each(ROWS)('$at answers in the shape of the contract, with quota headers and a request id', async (row) => {
    const { call } = await fixture
    const [name] = operationAt(row)
    const answer = await call(name)
    expectShape(name, answer)
    const limit = name === 'appendToMessage' ? '10' : '1000000'
    expect(answer.headers.get('x-ratelimit-limit')).toBe(limit)
    expect(answer.headers.get('x-ratelimit-remaining')).toMatch(/^\d+$/)
    expect(answer.headers.get('x-request-id')).toEqual(anId)
  })

  test('the API has these routes, plus those that name the scopes of a key and revoke a leaked one', () => {
    const rows = new Set([...ROWS, ...EVENT_ROWS].map((row) => operationAt(row)[0]))
    const others = [...operations].filter(([name, { by }]) => (by === 'bot' || by === 'member') && !rows.has(name))
    expect(new Set(others.map(([, { at }]) => at))).toEqual(new Set(['DELETE /key', 'GET /me/scopes']))
  })

  test.each(ROWS)('$at takes ids in capitals as well', async (row) => {
    const { call, prepare } = await fixture
    const [name, operation] = operationAt(row)
    const ids = Object.entries(await prepare(operation)).filter(([field]) => field.endsWith('Id'))
    const capitals = Object.fromEntries(ids.map(([field, id]) => [field, String(id).toUpperCase()]))
    expectShape(name, await call(name, capitals))
  })

  test('GET /me: the profile of the application with its owner, bot and channels', async () => {
    const { bot, owner, channel } = await fixture
    expect(expectOk(await bot.get('/me'))).toEqual({
      application: {
        id: bot.application.id,
        name: bot.application.name,
        owner: { id: owner.id, name: owner.name },
      },
      bot: { id: bot.id, name: bot.name, avatar: `${bot.id}.svg`, avatarVersion: 1 },
      channels: [{ id: channel.id, name: channel.name, role: { systemName: 'CHANNEL_ADMIN', name: 'Administrator' } }],
    })
  })

  test('GET /channels/{channelId}: description may be null', async () => {
    const { bot, owner, channel, at } = await fixture
    expect(expectOk(await bot.get(at))).toEqual({ id: channel.id, name: 'Ateliers', description: null })
    expectOk(await owner.patch(at, { description: 'A workshop' }))
    expect(expectOk(await bot.get(at))).toEqual({ id: channel.id, name: 'Ateliers', description: 'A workshop' })
  })

  test('POST /rooms/{roomId}/messages: 201 with id, text, createdAt and author', async () => {
    const { bot, channel, room } = await fixture
    const sent = await bot.post(`/rooms/${room.id}/messages`, { channelId: channel.id, text: 'Hello **there**' })
    expect(sent).toMatchObject({ status: 201 })
    expect(sent.body).toEqual({
      id: anId,
      text: 'Hello **there**',
      createdAt: anInstant,
      author: { id: bot.id, name: bot.name },
    })
  })

  test('POST /rooms/{roomId}/messages with replyToId: the answer names the message replied to', async () => {
    const { bot, channel, room, messageOf, owner } = await fixture
    const replyToId = await messageOf(owner)
    const sent = await bot.post(`/rooms/${room.id}/messages`, { channelId: channel.id, text: 'Yes', replyToId })
    expect(sent).toMatchObject({ status: 201, body: { text: 'Yes', replyToId } })
  })

  test('GET /rooms/{roomId}/messages: newest to oldest, paged with beforeId', async () => {
    const { bot, channel, newRoom } = await fixture
    const { id: roomId } = await newRoom('text')
    const sent: Message[] = []
    for (const text of ['one', 'two', 'three']) {
      sent.unshift(expectOk(await bot.post<Message>(`/rooms/${roomId}/messages`, { channelId: channel.id, text })))
    }
    const page = async (query: string) =>
      expectOk(await bot.get(`/rooms/${roomId}/messages?channelId=${channel.id}${query}`))
    expect(await page('')).toEqual({ messages: sent, hasMore: false })
    expect(await page('&limit=2')).toEqual({ messages: sent.slice(0, 2), hasMore: true })
    expect(await page(`&limit=2&beforeId=${sent[1]?.id}`)).toEqual({ messages: sent.slice(2), hasMore: false })
  })

  test('PATCH /rooms/{roomId}/messages/{messageId}: 200 with id, text and editedAt', async () => {
    const { bot, channel, room, messageOf } = await fixture
    const id = await messageOf(bot)
    const edited = await bot.patch(`/rooms/${room.id}/messages/${id}`, { channelId: channel.id, text: 'Better' })
    expect(edited).toMatchObject({ status: 200 })
    expect(edited.body).toEqual({ id, text: 'Better', editedAt: anInstant })
  })

  test('DELETE /rooms/{roomId}/messages/{messageId}: 204 without body; never in history again', async () => {
    const { bot, channel, room, messageOf } = await fixture
    const id = await messageOf(bot)
    const at = `/rooms/${room.id}/messages/${id}`
    expect(await bot.delete(at, { channelId: channel.id })).toMatchObject({ status: 204, body: undefined })
    const { messages } = expectOk(
      await bot.get<{ messages: Message[] }>(`/rooms/${room.id}/messages?channelId=${channel.id}`),
    )
    expect(messages.find((message) => message.id === id)).toBeUndefined()
  })

  test('POST and DELETE …/reactions: 201 with emoji and messageId, then 204 without body', async () => {
    const { bot, channel, room, messageOf, owner } = await fixture
    const messageId = await messageOf(owner)
    const at = `/rooms/${room.id}/messages/${messageId}/reactions`
    const body = { channelId: channel.id, emoji: '🎉' }
    const added = await bot.post(at, body)
    expect(added).toMatchObject({ status: 201 })
    expect(added.body).toEqual({ emoji: '🎉', messageId })
    expect(await bot.delete(at, body)).toMatchObject({ status: 204, body: undefined })
  })

  test('GET /channels/{channelId}/rooms: rooms and categories; voice rooms with userLimit and users', async () => {
    const { bot, channel, owner, at, room, rooms } = await fixture
    const category = expectOk(await owner.post<{ id: string }>(`${at}/categories`, { name: 'Work' }))
    expectOk(await owner.patch(`${at}/rooms/${room.id}`, { categoryId: category.id, writeRestricted: true }))
    expectOk(await bot.post(`/rooms/${rooms.voice}/voice`, { channelId: channel.id }))

    const list = expectOk(await bot.get<{ rooms: Room[]; categories: unknown[] }>(`${at}/rooms`))
    expect(list.categories).toEqual([{ id: category.id, name: 'Work', sort: expect.any(Number) }])
    const found = (id: string) => list.rooms.find((room) => room.id === id)
    const common = { name: 'workshop', sort: expect.any(Number), topic: null }
    expect(found(room.id)).toEqual({
      ...common,
      id: room.id,
      type: 'text',
      categoryId: category.id,
      writeRestricted: true,
    })
    expect(found(rooms.voice)).toEqual({
      ...common,
      id: rooms.voice,
      type: 'voice',
      categoryId: null,
      writeRestricted: false,
      userLimit: null,
      users: [{ id: bot.id, name: bot.name, channelNickname: bot.name }],
    })
    expect(found(rooms.stream)).toEqual({
      ...common,
      id: rooms.stream,
      type: 'stream',
      categoryId: null,
      writeRestricted: false,
    })
    expectOk(await owner.patch(`${at}/rooms/${room.id}`, { writeRestricted: false }))
  })

  test('GET /channels/{channelId}/members: members with their roles, and the counts', async () => {
    const { bot, victim, owner, at, install } = await fixture
    await install(victim)
    const page = expectOk(await bot.get<{ members: { id: string }[] }>(`${at}/members`))
    expect(page).toEqual({ members: expect.any(Array), online: 0, total: 3, hasMore: false })
    expect(page.members.find(({ id }) => id === owner.id)).toEqual({
      id: owner.id,
      name: owner.name,
      channelNickname: null,
      online: false,
      isBot: false,
      avatar: `${owner.id}.svg`,
      avatarVersion: 1,
      roles: [{ systemName: 'CHANNEL_OWNER', name: 'Owner' }] satisfies Partial<Role>[],
    })
    expect(page.members.find(({ id }) => id === victim.id)).toMatchObject({
      isBot: true,
      roles: [{ systemName: 'CHANNEL_BOT', name: 'Bot' }],
    })
  })

  test('POST and DELETE /rooms/{roomId}/voice: the session, then 204', async () => {
    const { bot, channel, rooms } = await fixture
    const joined = await bot.post(`/rooms/${rooms.voice}/voice`, { channelId: channel.id })
    expect(joined).toMatchObject({ status: 200 })
    expect(joined.body).toEqual({
      roomId: rooms.voice,
      token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      url: expect.stringMatching(/^wss?:\/\//),
      canPublish: true,
      identity: bot.id,
    })
    expect(await bot.delete(`/rooms/${rooms.voice}/voice`)).toMatchObject({ status: 204, body: undefined })
  })

  test('PUT and GET /commands: the list with positions from 1; usage null when absent', async () => {
    const { bot } = await fixture
    const commands = [
      { name: '/deploy', description: 'Deploy a build', usage: '<service>' },
      { name: '/Погода', description: 'Погода завтра' },
      { name: '/2-fa', description: 'Codes', usage: null },
    ]
    const list = {
      commands: [
        { name: '/deploy', description: 'Deploy a build', usage: '<service>', position: 1 },
        { name: '/Погода', description: 'Погода завтра', usage: null, position: 2 },
        { name: '/2-fa', description: 'Codes', usage: null, position: 3 },
      ],
    }
    expect(expectOk(await bot.put('/commands', { commands }))).toEqual(list)
    expect(expectOk(await bot.get('/commands'))).toEqual(list)
  })

  test.each(ROWS.filter(({ at }) => at.includes('{')))(
    '$at: 403 without requiredScope when the application is not installed on the channel',
    async (row) => {
      const { newBot, owner, at, prepare } = await fixture
      const stranger = await newBot()
      expectOk(await owner.delete(`${at}/applications/${stranger.application.id}`))
      const [, operation] = operationAt(row)
      const { method, path, body } = requestOf(operation, await prepare(operation))
      // Routes without a channel can't distinguish a foreign room from a missing one.
      const status = 'channelId' in operation.input.properties ? 403 : 422
      const answer = await stranger.request(method, path, body)
      expect(answer).toMatchObject({ status })
      expect(answer.body).not.toHaveProperty('requiredScope')
      expect(answer.body).not.toHaveProperty('requiredRight')
    },
  )

  test.each(ROWS.filter((row) => operationAt(row)[1].access?.room))(
    '$at: 422 when the room is of the wrong type, of another channel, or not there',
    async (row) => {
      const { call, rooms, newRoom } = await fixture
      const [name, operation] = operationAt(row)
      const wrong = operation.access?.room?.includes('voice') ? rooms.text : rooms.voice
      const elsewhere = (await stageElsewhere).rooms[operation.access?.room?.[0] ?? 'text']
      const hidden = (await newRoom(operation.access?.room?.[0] ?? 'text', { private: true })).id
      const missing = '00000000-0000-7000-8000-000000000000'
      expect(await call(name, { roomId: wrong })).toMatchObject({ status: 422, body: { reason: 'wrong_room_type' } })
      expect(await call(name, { roomId: rooms.stream })).toMatchObject({ status: 422 })
      for (const roomId of [elsewhere, hidden, missing]) {
        const answer = await call(name, { roomId })
        expect(answer).toMatchObject({ status: 422, body: { reason: 'no_such_room' } })
        expect(answer.body).toEqual((await call(name, { roomId: missing })).body)
      }
    },
  )

  const stageElsewhere = botApiFixture()
})
