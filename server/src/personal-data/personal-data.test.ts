import type { Account, AccountDeletion, Message } from '@portico/contract'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { Bot } from '../../test/bot.ts'
import { expectRefusal } from '../../test/expect-refusal.ts'
import { Person } from '../../test/person.ts'
import { RawSocket } from '../../test/raw-socket.ts'
import { expectOk, portal, channelFixture } from '../../test/channel-fixture.ts'
import { CLOSES } from '../events/stream-codes.ts'
import { DELETED_NAME } from './delete-account.ts'

const { server, administrator } = await portal()

function remove(person: Person, password = person.password) {
  return person.post('/account/deletion', { password })
}

describe('deleteAccount', () => {
  test('requires the password', async () => {
    const person = await (await channelFixture()).newPerson()
    expectRefusal(await remove(person, 'not my password'), 'badRequest', {
      field: 'password',
      reason: 'wrong_password',
    })
    expect((await person.get('/session')).status).toBe(200)
  })

  test('ends every session and frees the name', async () => {
    const person = await (await channelFixture()).newPerson()
    const elsewhere = new Person(server, person.name)
    expectOk(await elsewhere.post('/sessions', { name: person.name, password: person.password }))

    const answer = await remove(person)

    expect(answer.status).toBe(204)
    expect(answer.headers.getSetCookie().join()).toContain('portico=;')
    expectRefusal(await elsewhere.get('/sessions'), 'unauthorized', { reason: 'not_signed_in' })
    const again = { name: person.name, password: person.password }
    expectRefusal(await new Person(server).post('/sessions', again), 'unauthorized', { reason: 'wrong_credentials' })
    const deleted = { name: DELETED_NAME, password: person.password }
    expectRefusal(await new Person(server).post('/sessions', deleted), 'unauthorized', { reason: 'wrong_credentials' })
    const successor = await new Person(server, person.name).signUp()
    expect(successor.id).not.toBe(person.id)
  })

  test('keeps messages, as written by a deleted account', async () => {
    const { people, at, room, channel, owner } = await channelFixture({ people: 1 })
    const [person] = people
    const file = Uint8Array.from(await sharp({ create: SQUARE }).png().toBuffer())
    const { avatar } = expectOk(
      await person.request<Account>('PUT', '/account/picture', file, { 'content-type': 'image/png' }),
    )
    const messages = `/rooms/${room.id}/messages`
    const { id } = expectOk(await person.post<Message>(messages, { channelId: channel.id, text: 'I was here' }))
    expectOk(await person.post(`${messages}/${id}/reactions`, { channelId: channel.id, emoji: '👍' }))

    expectOk(await remove(person))

    const history = expectOk(await owner.get<{ messages: Message[] }>(`${messages}?channelId=${channel.id}`)).messages
    expect(history).toMatchObject([{ id, text: 'I was here', author: { id: person.id, name: DELETED_NAME } }])
    expect(history[0]?.reactions).toMatchObject([{ emoji: '👍', count: 1 }])
    const { members } = expectOk(await owner.get<{ members: { id: string }[] }>(`${at}/members`))
    expect(members.map((member) => member.id)).toEqual([owner.id])
    expect((await fetch(`${server.url}/media/avatars/${avatar}`)).status).toBe(404)
    const row = await server.services.database.kysely
      .selectFrom('accounts')
      .selectAll()
      .where('id', '=', person.id)
      .executeTakeFirstOrThrow()
    expect(row).toMatchObject({ name: DELETED_NAME, password_hash: null, locale: null, deleted_at: expect.any(String) })
  })

  test('closes the open portals of the person', async () => {
    const person = await (await channelFixture()).newPerson()
    const socket = await RawSocket.open(server, { cookie: person.cookie, origin: server.url })
    expect(await socket.ask({ id: 1, connect: {} })).toMatchObject({ connect: {} })
    expectOk(await remove(person))
    expect((await socket.closed).code).toBe(CLOSES.revoked.code)
  })

  test('deletes the applications: their keys stop working and their bots leave', async () => {
    const { newPerson, at, owner, newBot, install } = await channelFixture()
    const developer = await newPerson()
    const bot = await Bot.of(server, developer, 'Shipyard')
    await install(bot)
    await newBot()
    const preview = expectOk(await developer.get<AccountDeletion>('/account/deletion'))
    expect(preview).toEqual({
      ownedChannels: [],
      lastAdministrator: false,
      applications: [{ id: bot.application.id, name: 'Shipyard' }],
    })

    expectOk(await remove(developer))

    expect((await bot.get('/me')).status).toBe(401)
    const { members } = expectOk(await owner.get<{ members: { id: string }[] }>(`${at}/members`))
    expect(members.map(({ id }) => id)).not.toContain(bot.id)
  })

  test('is refused while the person owns channels, and lists them', async () => {
    const { owner, people, at, channel } = await channelFixture({ people: 1 })
    expect(expectOk(await owner.get('/account/deletion'))).toMatchObject({
      ownedChannels: [{ id: channel.id, name: 'Ateliers' }],
    })
    expectRefusal(await remove(owner), 'unprocessable', {
      reason: 'owns_channels',
      message: 'Transfer or delete the channels you own first: Ateliers.',
    })
    expectOk(await owner.put(`${at}/owner`, { userId: people[0].id }))
    expectOk(await remove(owner))
    expect((await people[0].get(at)).status).toBe(200)
  })

  test('is refused for the last administrator', async () => {
    expect(expectOk(await administrator.get('/account/deletion'))).toMatchObject({ lastAdministrator: true })
    expectRefusal(await remove(administrator), 'unprocessable', {
      reason: 'last_administrator',
      message: expect.stringContaining('last administrator'),
    })
    const { needsSetUp } = expectOk(await administrator.get<{ needsSetUp: boolean }>('/instance'))
    expect(needsSetUp).toBe(false)
  })

  test('leaves no concurrently created channel, application or membership behind', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { newPerson, at } = await channelFixture()
      const person = await newPerson()
      await Promise.all([
        remove(person),
        person.post('/channels', { name: 'Too late' }),
        person.post('/applications', { name: 'Too late' }),
        person.post(`${at}/join`),
      ])
      const { kysely } = server.services.database
      const { deleted_at } = await kysely
        .selectFrom('accounts')
        .select('deleted_at')
        .where('id', '=', person.id)
        .executeTakeFirstOrThrow()
      const owned = await kysely.selectFrom('channels').select('id').where('owner_id', '=', person.id).execute()
      const made = await kysely.selectFrom('applications').select('id').where('owner_id', '=', person.id).execute()
      const joined = await kysely
        .selectFrom('members')
        .select('channel_id')
        .where('account_id', '=', person.id)
        .execute()
      // Either the channel came first and blocked the deletion, or everything is gone.
      if (deleted_at === null) expect(owned).toHaveLength(1)
      else expect([owned, made, joined]).toEqual([[], [], []])
    }
  })
})

const SQUARE = { width: 9, height: 9, channels: 3 as const, background: { r: 1, g: 2, b: 3 } }

describe('exportData', () => {
  test('returns everything that a person wrote and owns, without secrets', async () => {
    const { owner, channel, room, bots, people } = await channelFixture({ people: 1, bots: 1 })
    const [bot] = bots
    const messages = `/rooms/${room.id}/messages`
    const text = 'Привет, "world" \u2028 💥'
    const { id } = expectOk(await owner.post<Message>(messages, { channelId: channel.id, text }))
    const gone = expectOk(await owner.post<Message>(messages, { channelId: channel.id, text: 'Forget this' }))
    expectOk(await owner.delete(`${messages}/${gone.id}`, { channelId: channel.id }))
    expectOk(await people[0].post(messages, { channelId: channel.id, text: 'Somebody else said this' }))
    expectOk(await owner.post(`${messages}/${id}/reactions`, { channelId: channel.id, emoji: '👍' }))
    expectOk(await owner.post(`${messages}/${id}/reactions`, { channelId: channel.id, emoji: '🎉' }))

    const answer = await owner.get<Record<string, unknown>>('/account/data')

    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="portico-data.json"')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.body).toMatchObject({
      portal: 'Portico',
      account: { id: owner.id, name: owner.name, createdAt: expect.any(String) },
      picture: null,
      sessions: [{ current: true }],
      consents: [],
      channels: [{ id: channel.id, name: 'Ateliers', owned: true, roles: ['Owner'] }],
      invitations: [],
      applications: [{ id: bot.application.id }],
      messages: [{ id, text, channel: 'Ateliers', room: 'workshop' }],
      reactions: [{ id, reactions: [{ emoji: '👍' }, { emoji: '🎉' }] }],
    })
    const whole = JSON.stringify(answer.body)
    expect(whole).not.toMatch(/hash|password|secret|argon2/i)
    expect(whole).not.toContain(bot.key)
    expect(whole).not.toContain('Somebody else said this')
  })

  test('continues across pages', async () => {
    const { owner, channel, room } = await channelFixture()
    await server.services.database.pool.query(
      `INSERT INTO messages (id, channel_id, room_id, author_id, text, created_at)
       SELECT gen_random_uuid(), $1, $2, $3, 'Message ' || n, now() FROM generate_series(1, 2500) n`,
      [channel.id, room.id, owner.id],
    )
    const { messages } = expectOk(await owner.get<{ messages: { id: string }[] }>('/account/data'))
    expect(new Set(messages.map(({ id }) => id)).size).toBe(2500)
  })
})
