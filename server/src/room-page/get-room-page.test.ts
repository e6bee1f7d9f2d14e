import { LIMITS, messageCreated } from '@portico/contract'
import type { Category, Input, Output, OwnChannel, Room, RoomReadState } from '@portico/contract'
import type * as api from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { expectRefusal } from '../../test/expect-refusal.ts'
import { queryDatabaseOf } from '../../test/query-database.ts'
import { OpenPortal } from '../../test/open-portal.ts'
import { Person } from '../../test/person.ts'
import type { TestServer } from '../../test/start-server.ts'
import { expectOk, channelFixture } from '../../test/channel-fixture.ts'

type RoomPage = NonNullable<Output<typeof api.getRoomPage>>

async function getRoomPage(person: Person, place: Input<typeof api.getRoomPage>): Promise<RoomPage> {
  return expectOk(await person.get<RoomPage>(`/room-page?${new URLSearchParams(place).toString()}`))
}

describe('getRoomPage', () => {
  test('returns what the separate operations return', async () => {
    const { people, owner, bots, channel, at, room } = await channelFixture({ people: 1, bots: 1 })
    const [ada] = people
    const commands = [{ name: '/deploy', description: 'Ship it' }]
    expectOk(await bots[0].put('/commands', { commands }))
    const sent = { channelId: channel.id, text: 'hello' }
    expectOk(await owner.post(`/rooms/${room.id}/messages`, sent))
    const answer = async (path: string): Promise<unknown> => expectOk(await ada.get(path))

    const { position, account, ...parts } = await getRoomPage(ada, { channelId: channel.id, roomId: room.id })
    expect(account).toMatchObject({ id: ada.id, name: ada.name })
    expect(position).toEqual({ offset: expect.any(Number), epoch: expect.stringMatching(/./) })
    expect(parts).toEqual({
      place: { channelId: channel.id, roomId: room.id },
      instance: await answer('/instance'),
      channels: await answer('/channels'),
      readStates: await answer('/read-states'),
      rooms: await answer(`${at}/rooms`),
      permissions: await answer(`/rooms/${room.id}/permissions`),
      roleColors: await answer(`${at}/roles/colors`),
      commands: await answer(`${at}/commands`),
      history: await answer(`/rooms/${room.id}/history`),
    })
    expect(parts.history?.messages).toMatchObject([{ text: 'hello' }])
    expect(parts.commands?.commands).toMatchObject(commands)
  })

  test('returns the page around a linked message', async () => {
    const { owner, channel, room } = await channelFixture()
    const say = async (text: string): Promise<string> =>
      expectOk(await owner.post<{ id: string }>(`/rooms/${room.id}/messages`, { channelId: channel.id, text })).id
    const aroundId = await say('the one')
    const here = { channelId: channel.id, roomId: room.id }
    const { history } = await getRoomPage(owner, { ...here, aroundId })
    expect(history).toEqual(expectOk(await owner.get(`/rooms/${room.id}/history?aroundId=${aroundId}`)))
    // For a missing message the history is null; its own operation refuses it.
    expect(await getRoomPage(owner, { ...here, aroundId: channel.id })).toMatchObject({
      history: null,
      permissions: {},
    })
  })

  test('shows nothing of places that the caller cannot see', async () => {
    const { people, newPerson, newRoom, channel, room } = await channelFixture({ people: 1 })
    const nothing = { place: null, permissions: null, history: null }

    const den = await newRoom('text', { private: true })
    const seen = await getRoomPage(people[0], { channelId: channel.id, roomId: den.id })
    expect(seen).toMatchObject({ ...nothing, channels: { channels: [{ id: channel.id }] } })
    expect(seen.rooms?.rooms.map(({ id }) => id)).not.toContain(den.id)

    const stranger = await newPerson()
    const outside = await getRoomPage(stranger, { channelId: channel.id, roomId: room.id })
    expect(outside).toMatchObject({
      ...nothing,
      rooms: null,
      roleColors: null,
      commands: null,
      channels: { channels: [] },
    })
    expect(outside.account.id).toBe(stranger.id)

    const other = await channelFixture()
    expect(await getRoomPage(other.owner, { channelId: other.channel.id, roomId: room.id })).toMatchObject(nothing)
  })

  test('has no content when nobody is signed in', async () => {
    const { server, channel, room } = await channelFixture()
    const answer = await new Person(server).get(`/room-page?channelId=${channel.id}&roomId=${room.id}`)
    expect(answer).toMatchObject({ status: 204 })
  })

  test('opens the first text room of the first channel if none is named', async () => {
    const { owner, newPerson, newRoom, channel, at, room } = await channelFixture()
    const { rooms } = expectOk(await owner.get<{ rooms: Room[] }>(`${at}/rooms`))
    for (const { id } of rooms) if (id !== room.id) expectOk(await owner.delete(`${at}/rooms/${id}`))
    const category = expectOk(await owner.post<Category>(`${at}/categories`, { name: 'Projects' }))
    const inCategory = { name: 'plans', type: 'text', categoryId: category.id }
    const plans = expectOk(await owner.post<Room>(`${at}/rooms`, inCategory))
    const { position, ...named } = await getRoomPage(owner, { channelId: channel.id, roomId: room.id })
    expect(position.offset).toBeGreaterThan(0)
    expect(await getRoomPage(owner, {})).toMatchObject(named)

    // Rooms without a category come first, and rooms with messages before voice rooms.
    expectOk(await owner.delete(`${at}/rooms/${room.id}`))
    const voice = await newRoom('voice')
    const inChannel = await getRoomPage(owner, { channelId: channel.id })
    expect(inChannel.place).toEqual({ channelId: channel.id, roomId: plans.id })
    expectOk(await owner.delete(`${at}/rooms/${plans.id}`))
    expect((await getRoomPage(owner, {})).place).toEqual({ channelId: channel.id, roomId: voice.id })

    const newcomer = await newPerson()
    const empty = { place: null, rooms: null, permissions: null, commands: null, history: null }
    expect(await getRoomPage(newcomer, {})).toMatchObject({ ...empty, channels: { channels: [] } })
    expect(await getRoomPage(newcomer, { channelId: channel.id })).toMatchObject(empty)
  })

  test('returns the log position from which a subscription misses nothing', async () => {
    const { server, owner, people, channel, room } = await channelFixture({ people: 1 })
    const [ada] = people
    const { position } = await getRoomPage(ada, { channelId: channel.id, roomId: room.id })
    expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: channel.id, text: 'meanwhile' }))
    const portal = await OpenPortal.of(server, ada, position)
    expect(await portal.next(messageCreated)).toMatchObject({ data: { message: { text: 'meanwhile' } } })
  })

  test('returns the first channels of a member of many, and the one that is opened', async () => {
    const { server, owner, channel, room, newPerson } = await channelFixture()
    const ada = await newPerson()
    await joinMany(server, ada, LIMITS.channelsPage * 2 + 20)
    expectOk(await ada.post(`/channels/${channel.id}/join`))
    expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: channel.id, text: 'news' }))

    const { channels, readStates } = await getRoomPage(ada, { channelId: channel.id, roomId: room.id })
    expect([channels.channels.length, channels.hasMore]).toEqual([LIMITS.channelsPage + 1, true])
    expect(channels.channels.at(-1)?.id).toBe(channel.id)
    expect(readStates.rooms).toContainEqual(expect.objectContaining({ roomId: room.id, unread: true }))

    const all: OwnChannel[] = []
    let page: Output<typeof api.listChannels>
    do {
      const after = all.length === 0 ? '' : `?afterId=${all.at(-1)?.id}`
      page = expectOk(await ada.get<Output<typeof api.listChannels>>(`/channels${after}`))
      all.push(...page.channels)
    } while (page.hasMore)
    expect(new Set(all.map(({ id }) => id)).size).toBe(LIMITS.channelsPage * 2 + 21)
    expect(all.slice(0, LIMITS.channelsPage)).toEqual(channels.channels.slice(0, -1))

    const rooms: RoomReadState[] = []
    let afterId = readStates.nextAfterId
    while (afterId !== null) {
      const next = expectOk(await ada.get<Output<typeof api.listReadStates>>(`/read-states?afterId=${afterId}`))
      rooms.push(...next.rooms)
      afterId = next.nextAfterId
    }
    const seen = [...readStates.rooms, ...rooms].map(({ channelId }) => channelId)
    expect(new Set(seen)).toEqual(new Set(all.map(({ id }) => id)))

    expectOk(await ada.delete(`/channels/${all[0]?.id}/membership`))
    expectRefusal(await ada.get(`/channels?afterId=${all[0]?.id}`), 'unprocessable', { reason: 'not_a_member' })
  })
})

/** Adds a person to this many channels with a room each. */
async function joinMany(server: TestServer, { id }: Person, count: number): Promise<void> {
  await queryDatabaseOf(
    server,
    `WITH made AS (
      INSERT INTO channels (id, name, image, owner_id)
      SELECT gen_random_uuid(), 'One of many', 'x.svg', (SELECT id FROM accounts WHERE is_administrator LIMIT 1)
      FROM generate_series(1, ${count}) RETURNING id
    ), roles AS (
      INSERT INTO roles (id, channel_id, system_name, name, rank, rights)
      SELECT gen_random_uuid(), id, 'CHANNEL_MEMBER', 'Member', 100, '{read_text_room}' FROM made RETURNING id, channel_id
    ), rooms AS (
      INSERT INTO rooms (id, channel_id, type, name, sort) SELECT gen_random_uuid(), id, 'text', 'general', 1 FROM made
    )
    INSERT INTO members (channel_id, account_id, role_id) SELECT channel_id, '${id}', id FROM roles`,
  )
}
