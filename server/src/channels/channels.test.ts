import { LIMITS, type AuditEntry, type OwnChannel, type Role, type Room } from '@portico/contract'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { newId } from '../operations/ids.ts'
import { expectOk, portal, channelFixture } from '../../test/channel-fixture.ts'

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

describe('getChannel', () => {
  test('is for members', async () => {
    const { at, channel, people, newPerson } = await channelFixture({ people: 1 })
    const [member] = people
    const stranger = await newPerson()

    expect(expectOk(await member.get(at))).toEqual({ id: channel.id, name: 'Ateliers', description: null })
    expect(await stranger.get(at)).toMatchObject({ status: 403, body: { reason: 'not_a_member' } })
    expect(await stranger.get(`/channels/${newId()}`)).toMatchObject({ status: 403, body: { reason: 'not_a_member' } })
  })
})

describe('updateChannel', () => {
  test('requires the right, keeps absent fields and writes the changes to the audit log', async () => {
    const { at, owner, people } = await channelFixture({ people: 1 })
    const [member] = people
    expect(await member.patch(at, { name: 'Mine' })).toMatchObject({
      status: 403,
      body: { requiredRight: 'manage_channel' },
    })

    const changed = expectOk(await owner.patch<OwnChannel>(at, { name: 'Forge', description: 'Hot iron' }))
    expect(changed).toMatchObject({ name: 'Forge', description: 'Hot iron', open: true, avatarVersion: 2 })
    expect(expectOk(await owner.patch(at, { name: 'Forge' }))).toEqual(changed)

    const { entries } = expectOk(await owner.get<{ entries: AuditEntry[] }>(`${at}/audit-log`))
    expect(entries.filter(({ action }) => action === 'channel.updated')).toMatchObject([
      {
        actor: { id: owner.id, name: owner.name },
        targetName: 'Forge',
        details: { name: { from: 'Ateliers', to: 'Forge' }, description: { from: null, to: 'Hot iron' } },
      },
    ])
  })
})

describe('deleteChannel', () => {
  test('is for the owner, who must repeat the name', async () => {
    const { administrator } = await portal()
    const { at, channel, owner, people, give } = await channelFixture({ people: 1 })
    const [admin] = people
    await give(admin, 'CHANNEL_ADMIN')

    expect(await admin.delete(at, { name: 'Ateliers' })).toMatchObject({
      status: 403,
      body: { reason: 'not_the_owner' },
    })
    expect(await owner.delete(at, { name: 'ateliers' })).toMatchObject({ status: 422, body: { reason: 'wrong_name' } })
    expect((await owner.delete(at, { name: 'Ateliers' })).status).toBe(204)

    expect((await owner.get(at)).status).toBe(403)
    expect(expectOk(await admin.get('/channels'))).toEqual({ channels: [], hasMore: false })
    const { entries } = expectOk(await administrator.get<{ entries: AuditEntry[] }>('/audit-log'))
    expect(entries).toContainEqual(expect.objectContaining({ action: 'channel.deleted', targetId: channel.id }))
  })

  test('deletes everything in it, even while others join and change it', async () => {
    const { at, owner, people, newPerson } = await channelFixture({ people: 2 })
    const [bo, cy] = people
    const dee = await newPerson()
    expectOk(await owner.post(`${at}/rooms`, { name: 'den', type: 'text', private: true }))

    const answers = await Promise.all([
      dee.post(`${at}/join`),
      bo.put(`${at}/members/${bo.id}/nickname`, { nickname: 'Bobo' }),
      owner.delete(at, { name: 'Ateliers' }),
      cy.delete(`${at}/membership`),
      owner.post(`${at}/invitations`, {}),
    ])
    expect(answers[2].status).toBe(204)
    for (const { status } of answers) expect(status).toBeLessThan(500)
  })
})

describe('listOpenChannels', () => {
  test('pages by name and leaves closed channels out', async () => {
    const { newPerson } = await channelFixture()
    const ada = await newPerson()
    const names = ['Open A', 'Open B', 'Open B', 'Open C']
    for (const name of names) expectOk(await ada.post('/channels', { name, open: true }))
    expectOk(await ada.post('/channels', { name: 'Open in name only' }))

    const seen: string[] = []
    let page: { channels: { id: string; name: string }[]; hasMore: boolean } = { channels: [], hasMore: true }
    while (page.hasMore) {
      const after = page.channels.at(-1)
      page = expectOk(await ada.get(`/open-channels?limit=2${after ? `&afterId=${after.id}` : ''}`))
      seen.push(...page.channels.map(({ name }) => name))
    }
    expect(seen.filter((name) => name.startsWith('Open'))).toEqual(names)
  })
})

describe('joinChannel', () => {
  test('adds anyone to an open channel, once', async () => {
    const { at, newPerson } = await channelFixture()
    const ada = await newPerson()
    const answers = await Promise.all([1, 2, 3, 4].map(() => ada.post<OwnChannel>(`${at}/join`)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(expectOk(await ada.post<OwnChannel>(`${at}/join`))).toMatchObject({
      memberCount: 2,
      role: { systemName: 'CHANNEL_MEMBER' },
    })
  })

  test('answers the same for a closed channel and a missing one', async () => {
    const { at, owner, newPerson } = await channelFixture()
    expectOk(await owner.patch(at, { open: false }))
    const ada = await newPerson()
    const closed = await ada.post(`${at}/join`)
    expect(closed).toMatchObject({ status: 422, body: { reason: 'not_an_open_channel' } })
    expect((await ada.post(`/channels/${newId()}/join`)).body).toEqual(closed.body)
    expect((await owner.post(`${at}/join`)).status).toBe(200)
  })

  test('does not readmit a member who was kicked', async () => {
    const { at, owner, people } = await channelFixture({ people: 1 })
    const [ada] = people
    expectOk(await owner.delete(`${at}/members/${ada.id}`))
    expect(await ada.post(`${at}/join`)).toMatchObject({ status: 403, body: { reason: 'kicked' } })
  })
})

describe('leaveChannel', () => {
  test('removes roles and admissions and keeps a mute', async () => {
    const { at, room, owner, people, give, newRole } = await channelFixture({ people: 1 })
    const [ada] = people
    await give(ada, 'CHANNEL_MODERATOR', await newRole('Night watch', ['kick_member']))
    const den = expectOk(await owner.post<Room>(`${at}/rooms`, { name: 'den', type: 'text', private: true }))
    expectOk(await owner.put(`${at}/rooms/${den.id}/admissions`, { roleIds: [], memberIds: [ada.id] }))
    expectOk(await owner.put(`${at}/members/${ada.id}/chat-mute`, {}))

    expect((await ada.delete(`${at}/membership`)).status).toBe(204)
    expect((await ada.get(`${at}/rooms`)).status).toBe(403)
    expect(expectOk(await owner.get<OwnChannel>('/channels'))).toMatchObject({ channels: [{ memberCount: 1 }] })

    expect(expectOk(await ada.post(`${at}/join`))).toMatchObject({ role: { systemName: 'CHANNEL_MEMBER' } })
    const { rooms } = expectOk(await ada.get<{ rooms: Room[] }>(`${at}/rooms`))
    expect(rooms.map(({ name }) => name)).not.toContain('den')
    const message = { channelId: room.channelId, text: 'hello again' }
    expect((await ada.post(`/rooms/${room.id}/messages`, message)).status).toBe(403)
    expectOk(await owner.delete(`${at}/members/${ada.id}/chat-mute`))
    expect((await ada.post(`/rooms/${room.id}/messages`, message)).status).toBe(201)
  })

  test('is not for the owner', async () => {
    const { at, owner } = await channelFixture()
    expect(await owner.delete(`${at}/membership`)).toMatchObject({
      status: 422,
      body: { reason: 'owner_cannot_leave' },
    })
  })
})

describe('transferChannel', () => {
  test('says that it is the new owner who has too many channels', async () => {
    const { server, at, owner, people } = await channelFixture({ people: 1 })
    const [ada] = people
    await sql`
      INSERT INTO channels (id, name, image, owner_id)
      SELECT gen_random_uuid(), 'One of many', 'x.svg', ${ada.id}::uuid
      FROM generate_series(1, ${LIMITS.channelsOwned}::int)`.execute(server.services.database.kysely)
    expect(await owner.put(`${at}/owner`, { userId: ada.id })).toMatchObject({
      status: 422,
      body: { reason: 'owns_too_many_channels', message: expect.stringContaining(ada.name) },
    })
  })

  test('changes the owner and keeps the old one as an administrator', async () => {
    const { at, owner, people, give, newRole } = await channelFixture({ people: 2 })
    const [newOwner, other] = people
    await give(newOwner, 'CHANNEL_MODERATOR', await newRole('Night watch', []))
    expect(await other.put(`${at}/owner`, { userId: other.id })).toMatchObject({
      status: 403,
      body: { reason: 'not_the_owner' },
    })

    const transferred = expectOk(await owner.put<OwnChannel>(`${at}/owner`, { userId: newOwner.id.toUpperCase() }))
    expect(transferred.role.systemName).toBe('CHANNEL_ADMIN')
    expect(expectOk(await newOwner.get('/channels'))).toMatchObject({
      channels: [{ role: { systemName: 'CHANNEL_OWNER' } }],
    })
    expect((await owner.put(`${at}/owner`, { userId: owner.id })).status).toBe(403)
    expect((await newOwner.delete(at, { name: 'Ateliers' })).status).toBe(204)
  })

  test('is refused for bots, strangers and the owner', async () => {
    const { at, owner, bots, newPerson } = await channelFixture({ bots: 1 })
    const stranger = await newPerson()

    const refused = async (userId: string, reason: string) =>
      expect(await owner.put(`${at}/owner`, { userId })).toMatchObject({ status: 422, body: { reason } })
    await refused(stranger.id, 'not_a_member')
    await refused(bots[0].id, 'not_a_person')
    await refused(owner.id, 'already_the_owner')
  })
})
