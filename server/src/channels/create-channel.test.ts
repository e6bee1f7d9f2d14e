import { LIMITS, type OwnChannel, type Role, type Room } from '@portico/contract'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { expectOk, channelFixture } from '../../test/channel-fixture.ts'

describe('createChannel', () => {
  test('creates a channel with the default roles and two rooms', async () => {
    const { newPerson } = await channelFixture()
    const ada = await newPerson()

    const channel = expectOk(await ada.post<OwnChannel>('/channels', { name: '  Ateliers ', description: ' ' }))
    expect(channel).toMatchObject({
      name: 'Ateliers',
      description: null,
      image: `${channel.id}.svg`,
      open: false,
      memberCount: 1,
      role: { systemName: 'CHANNEL_OWNER', name: 'Owner' },
    })
    expect(expectOk(await ada.get('/channels'))).toEqual({ channels: [channel], hasMore: false })

    const { roles } = expectOk(await ada.get<{ roles: Role[] }>(`/channels/${channel.id}/roles`))
    expect(roles.map((role) => [role.systemName, role.rank, role.memberCount])).toEqual([
      ['CHANNEL_OWNER', 1000, 1],
      ['CHANNEL_ADMIN', 900, 0],
      ['CHANNEL_MODERATOR', 500, 0],
      ['CHANNEL_MEMBER', 100, 0],
      ['CHANNEL_BOT', 50, 0],
    ])
    const { rooms } = expectOk(await ada.get<{ rooms: Room[] }>(`/channels/${channel.id}/rooms`))
    expect(rooms.map(({ name, type }) => ({ name, type }))).toEqual([
      { name: 'general', type: 'text' },
      { name: 'Lounge', type: 'voice' },
    ])
  })

  test('names the rooms in the language of the portal', async () => {
    const { newPerson } = await channelFixture()
    const vera = await newPerson()
    const { id } = expectOk(await vera.post<OwnChannel>('/channels', { name: 'Тёмное небо', locale: 'ru' }))
    const { rooms } = expectOk(await vera.get<{ rooms: Room[] }>(`/channels/${id}/rooms`))
    expect(rooms.map(({ name }) => name)).toEqual(['общий', 'Гостиная'])
  })

  test('enforces the limit, even for concurrent requests', async () => {
    const { server, newPerson } = await channelFixture()
    const ada = await newPerson()
    await sql`
      INSERT INTO channels (id, name, image, owner_id)
      SELECT gen_random_uuid(), 'One of many', 'x.svg', ${ada.id}::uuid
      FROM generate_series(2, ${LIMITS.channelsOwned}::int)`.execute(server.services.database.kysely)

    const answers = await Promise.all([1, 2, 3].map((n) => ada.post('/channels', { name: `Race ${n}` })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 422, 422])
    expect(answers.find(({ status }) => status === 422)?.body).toMatchObject({ reason: 'too_many_channels' })
  })

  test('rejects a name of one letter between spaces', async () => {
    const { owner } = await channelFixture()
    expect(await owner.post('/channels', { name: ' a ' })).toMatchObject({ status: 400, body: { field: 'name' } })
  })
})
