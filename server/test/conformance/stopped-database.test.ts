import { ERRORS, type Message } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { freezablePostgres } from '../freezable-postgres.ts'
import { PASSWORD, Person } from '../person.ts'
import { Website } from '../website.ts'
import { expectOk, portal, channelFixture } from '../channel-fixture.ts'

const TIMEOUT = ERRORS.timeout.status

/** docs/api-rules.md, “Deadlines”: 504 when the database does not respond, and nothing is committed later. */
describe.skipIf(process.platform !== 'linux')('while PostgreSQL is stopped', () => {
  test('every request is answered 504 before it resumes, /readyz 503 long before, and nothing happens later', async () => {
    const postgres = await freezablePostgres()
    const { server } = await portal({ DATABASE_URL: postgres.url })
    const { owner, people, bots, room, channel, at } = await channelFixture({ people: 1, bots: 1 })
    const [bot] = bots
    const [person] = people
    const channelId = channel.id
    const messages = `/rooms/${room.id}/messages`
    const site = await Website.of({ publicUrl: server.services.config.PUBLIC_URL, addressOf: () => server.url }, owner)
    const code = await site.codeFor(person)
    const before = expectOk(await bot.post<Message>(messages, { channelId, text: 'Before' }))
    const written = expectOk(await bot.post<Message>(`${messages}/streams`, { channelId, text: 'Thinking' }))
    const append = (position: number, text: string) =>
      bot.post(`${messages}/${written.id}/append`, { channelId, position, text })
    expectOk(await append(8, '…'))
    expectOk(await bot.put('/commands', { commands: [{ name: '/old', description: 'Old' }] }))
    const avatar = `${server.url}/media/avatars/${bot.application.bot.avatar}`

    await postgres.freeze()
    const statuses: Record<string, number> = {}
    const watch = async (name: string, response: Promise<{ status: number }>): Promise<void> => {
      statuses[name] = (await response).status
    }
    const watched = [
      watch('append', append(9, ' too late')),
      watch('send', bot.post(messages, { channelId, text: 'Too late' })),
      watch('sendAgain', bot.post(messages, { channelId, text: 'Too late, too' })),
      watch('sendOnce', bot.post(messages, { channelId, text: 'Too late' }, { 'idempotency-key': 'late' })),
      watch('sendOfPerson', owner.post(messages, { channelId, text: `Too late, <@${person.id}>` })),
      watch('reply', person.post(messages, { channelId, text: 'Too late', replyToId: before.id })),
      watch('edit', bot.patch(`${messages}/${before.id}`, { channelId, text: 'Changed too late' })),
      watch('appendAgain', append(9, ' too late')),
      watch('replaceCommands', bot.put('/commands', { commands: [{ name: '/new', description: 'New' }] })),
      watch('history', bot.get(`${messages}?channelId=${channelId}`)),
      watch('channels', owner.get('/channels')),
      watch('members', bot.get(`${at}/members`)),
      watch('signIn', new Person(server).post('/sessions', { name: person.name, password: PASSWORD })),
      watch('exchange', site.exchange(code)),
      watch('media', fetch(avatar)),
    ]
    const ready = await fetch(`${server.url}/readyz`)
    expect(ready.status).toBe(503)
    expect(await ready.json()).toEqual({ status: 'no database' })
    expect(statuses).toEqual({})

    await Promise.all(watched)
    expect(Object.entries(statuses).filter(([, status]) => status !== TIMEOUT)).toEqual([])

    await postgres.resume()
    await eventually(async () => (await fetch(`${server.url}/readyz`)).status).toBe(200)
    // Everything that was queued on the connections has been processed.
    await eventually(async () => {
      const { rows } = await server.services.database.pool.query(
        `SELECT FROM pg_stat_activity WHERE state <> 'idle' AND pid <> pg_backend_pid() AND backend_type = 'client backend'`,
      )
      return rows.length
    }).toBe(0)
    const after = expectOk(await bot.post<Message>(messages, { channelId, text: 'After' }))
    const history = expectOk(await bot.get<{ messages: Message[] }>(`${messages}?channelId=${channelId}`))
    expect(history.messages.map(({ id, text }) => [id, text])).toEqual([
      [after.id, 'After'],
      [written.id, 'Thinking…'],
      [before.id, 'Before'],
    ])
    expectOk(await append(9, ' again'))
    expect(expectOk(await bot.get('/commands'))).toMatchObject({ commands: [{ name: '/old' }] })
    // Neither the key nor the code was marked as used.
    expectOk(await bot.post(messages, { channelId, text: 'Another' }, { 'idempotency-key': 'late' }))
    expect((await site.exchange(code)).status).toBeLessThan(500)
    expectOk(await owner.post(messages, { channelId, text: 'And on we go' }))
  })
})
