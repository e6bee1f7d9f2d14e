import { LIMITS, type Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { eventually } from '../../test/eventually.ts'
import { Person } from '../../test/person.ts'
import { expectOk, portal } from '../../test/channel-fixture.ts'
import { silentLog } from '../../test/silent-log.ts'
import { hashToken } from './session-token.ts'
import { SessionUses } from './session-uses.ts'

const { server } = await portal()
const { kysely, pool } = server.services.database

type Sessions = Output<typeof api.listSessions>

/** Makes the session of a person look unused for two minutes. */
function leaveUnused({ id }: Person) {
  return kysely
    .updateTable('sessions')
    .set({ last_used_at: sql<string>`now() - interval '2 minutes'` })
    .where('account_id', '=', id)
    .returning(['id', 'last_used_at'])
    .executeTakeFirstOrThrow()
}

describe('getSession', () => {
  test('answers 204 rather than an error when nobody is signed in', async () => {
    for (const cookie of ['', 'portico=ended-or-made-up']) {
      const answer = await new Person(server).request('GET', '/session', undefined, { cookie })
      expect(answer).toMatchObject({ status: 204 })
    }
  })
})

describe('sessions', () => {
  test('are listed with device and address, and the current one is marked', async () => {
    const person = await new Person(server).signUp()
    await person.signInElsewhere('Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/605.1')
    const { sessions } = expectOk(await person.get<Sessions>('/sessions'))
    expect(sessions).toHaveLength(2)
    expect(sessions.filter(({ current }) => current)).toHaveLength(1)
    expect(sessions.map(({ device }) => device)).toContain('Safari on iOS')
    expect(new Set(sessions.map(({ address }) => address))).toEqual(new Set(['127.0.0.1']))
    for (const { lastUsedAt, createdAt } of sessions) {
      expect([lastUsedAt, createdAt]).toEqual([expect.stringMatching(/T.*\.\d{3}Z$/), expect.stringMatching(/Z$/)])
    }
  })

  test('are limited in number: one more ends the one that wasn’t used for the longest time', async () => {
    const person = await new Person(server).signUp()
    const phone = await person.signInElsewhere()
    await kysely
      .updateTable('sessions')
      .set({ last_used_at: sql<string>`now() - interval '2 days'` })
      .where('account_id', '=', person.id)
      .where('token_hash', '=', hashToken(phone.cookie.split('=')[1] ?? ''))
      .execute()
    await sql`INSERT INTO sessions (id, account_id, token_hash, device, address, last_used_at)
      SELECT gen_random_uuid(), ${person.id}::uuid, sha256((${person.id}::text || n)::bytea), '', '', now() - interval '1 day'
      FROM generate_series(1, ${LIMITS.sessions - 2}) n`.execute(kysely)
    const tablet = await person.signInElsewhere()
    expect((await phone.get('/session')).status).toBe(204)
    expectOk(await person.get('/session'))
    expect(expectOk(await tablet.get<Sessions>('/sessions')).sessions).toHaveLength(LIMITS.sessions)
  })

  test('show their last use, to the minute', async () => {
    const person = await new Person(server).signUp()
    const lastUse = async () => expectOk(await person.get<Sessions>('/sessions')).sessions[0]?.lastUsedAt ?? ''
    const { last_used_at: before } = await leaveUnused(person)
    await eventually(async () => Date.parse(await lastUse()) - Date.parse(before)).toBeGreaterThanOrEqual(120_000)
    const after = await lastUse()
    expect(await lastUse()).toBe(after)
  })

  test('store a use once when two nodes notice it', async () => {
    const { id, last_used_at: before } = await leaveUnused(await new Person(server).signUp())
    const sessions = kysely.selectFrom('sessions').select(sql<string>`last_used_at::text`.as('lastUse'))
    const storeUse = async () => {
      const node = new SessionUses(pool, silentLog)
      node.note(id)
      await node.stop()
      return (await sessions.where('id', '=', id).executeTakeFirstOrThrow()).lastUse
    }
    const stored = await storeUse()
    expect(Date.parse(stored) - Date.parse(before)).toBeGreaterThanOrEqual(120_000)
    expect(await storeUse()).toBe(stored)
  })

  test('can be ended one by one, only by their owner', async () => {
    const person = await new Person(server).signUp()
    const phone = await person.signInElsewhere()
    const { sessions } = expectOk(await person.get<Sessions>('/sessions'))
    const other = sessions.find(({ current }) => !current)?.id

    const stranger = await new Person(server).signUp()
    expect(await stranger.delete(`/sessions/${other}`)).toMatchObject({
      status: 422,
      body: { reason: 'no_such_session' },
    })
    expect(await phone.get('/session')).toMatchObject({ status: 200 })

    expect(await person.delete(`/sessions/${other}`)).toMatchObject({ status: 204 })
    expect(await phone.get('/session')).toMatchObject({ status: 204 })
    expect(await person.get('/session')).toMatchObject({ status: 200 })
  })

  test('can all be ended except the current one', async () => {
    const person = await new Person(server).signUp()
    const [phone, tablet] = [await person.signInElsewhere(), await person.signInElsewhere()]
    expect(await person.delete('/sessions')).toMatchObject({ status: 204 })
    expect(await phone.get('/session')).toMatchObject({ status: 204 })
    expect(await tablet.get('/session')).toMatchObject({ status: 204 })
    expect(expectOk(await person.get<Sessions>('/sessions')).sessions).toHaveLength(1)
  })
})
