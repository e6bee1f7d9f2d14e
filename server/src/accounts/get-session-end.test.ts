import { LIMITS, type Output, type SessionEndReason } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { expectOk, portal } from '../../test/channel-fixture.ts'
import { Person } from '../../test/person.ts'
import { portico, settingsOf } from '../../test/portico-process.ts'
import { sweep } from '../maintenance.ts'
import { hashToken } from './session-token.ts'

const { server, administrator } = await portal()
const { kysely } = server.services.database

type Sessions = Output<typeof api.listSessions>

/** Why the session in this person’s browser ended, as the server tells it. */
async function endOf(device: Person) {
  return expectOk(await device.get<Output<typeof api.getSessionEnd>>('/session/end')).end
}

function hashOf({ cookie }: Person): Buffer {
  return hashToken(cookie.split('=')[1] ?? '')
}

/** Moves the last use of a session into the past. */
async function leaveUnused(device: Person, days: number): Promise<void> {
  await kysely
    .updateTable('sessions')
    .set({ last_used_at: sql<string>`now() - make_interval(days => ${days})` })
    .where('token_hash', '=', hashOf(device))
    .execute()
}

/** As many further sessions as an account can have, which were used more recently than two days ago. */
async function fillSessions({ id }: Person): Promise<void> {
  await sql`INSERT INTO sessions (id, account_id, token_hash, device, address, last_used_at)
    SELECT gen_random_uuid(), ${id}::uuid, sha256((${id}::text || n)::bytea), '', '', now() - interval '1 day'
    FROM generate_series(1, ${LIMITS.sessions}) n`.execute(kysely)
}

async function endOther(person: Person, phone: Person): Promise<void> {
  const { sessions } = expectOk(await phone.get<Sessions>('/sessions'))
  expectOk(await person.delete(`/sessions/${sessions.find(({ current }) => current)?.id}`))
}

const NEW = 'another horse battery'
const at = ({ id }: Person) => `/administration/people/${id}`

/** What a person or an administrator does that ends the session of the phone. */
const ENDS: Readonly<Record<string, [SessionEndReason, (person: Person, phone: Person) => Promise<unknown>]>> = {
  'ending it on another device': ['revoked', endOther],
  'ending all other sessions': ['signed_out_everywhere', (person) => person.delete('/sessions')],
  'changing the password': [
    'password_changed',
    (person) => person.put('/account/password', { currentPassword: person.password, newPassword: NEW }),
  ],
  'a reset link': [
    'password_changed',
    async (person) => {
      const { url } = expectOk(await administrator.post<{ url: string }>(`${at(person)}/reset-link`))
      const code = new URL(url).hash.slice(1)
      return new Person(server).post('/password-resets', { code, newPassword: NEW })
    },
  ],
  'a password that an administrator sets': [
    'password_set_by_administrator',
    (person) => administrator.put(`${at(person)}/password`, { newPassword: NEW }),
  ],
  'an administrator who ends all sessions': [
    'signed_out_by_administrator',
    (person) => administrator.delete(`${at(person)}/sessions`),
  ],
  'an administrator who disables the account': [
    'account_disabled',
    (person) => administrator.patch(at(person), { disabled: true }),
  ],
  'deleting the account': [
    'account_deleted',
    (person) => person.post('/account/deletion', { password: person.password }),
  ],
  'one session too many': [
    'session_limit',
    async (person, phone) => {
      await leaveUnused(phone, 2)
      await fillSessions(person)
      return person.post('/sessions', { name: person.name, password: person.password })
    },
  ],
}

describe('getSessionEnd', () => {
  let person: Person
  let phone: Person

  beforeEach(async () => {
    person = await new Person(server).signUp()
    phone = await person.signInElsewhere()
  })

  test.each(Object.entries(ENDS))('says when and why a session was ended by %s', async (_, [reason, end]) => {
    expect(await endOf(phone)).toBeNull()
    const before = Date.now()
    const answer = await end(person, phone)
    if (answer !== undefined) expect(answer).toMatchObject({ status: expect.toBeOneOf([200, 201, 204]) })

    expect(await phone.get('/session')).toMatchObject({ status: 204 })
    const found = await endOf(phone)
    expect(found).toEqual({ reason, endedAt: expect.stringMatching(/T.*\.\d{3}Z$/) })
    const endedAt = Date.parse(found?.endedAt ?? '')
    expect(endedAt).toBeGreaterThanOrEqual(before)
    expect(endedAt).toBeLessThanOrEqual(Date.now())
    expect(await endOf(phone)).toEqual(found)
  })

  test('says that the command line set a password', { timeout: 300_000 }, async () => {
    expect(await portico(['reset-password', person.name], settingsOf(server), `${NEW}\n`)).toMatchObject({ code: 0 })
    expect(await endOf(phone)).toMatchObject({ reason: 'password_set_by_administrator' })
  })

  test('says when a session expired, before and after it is deleted', async () => {
    await leaveUnused(phone, 95)
    expect(await phone.get('/session')).toMatchObject({ status: 204 })
    const expired = await endOf(phone)
    expect(expired?.reason).toBe('expired')
    expect(Date.now() - Date.parse(expired?.endedAt ?? '')).toBeGreaterThan(4.9 * 86_400_000)
    expect(Date.now() - Date.parse(expired?.endedAt ?? '')).toBeLessThan(5.1 * 86_400_000)

    await sweep(server.services)
    const left = kysely.selectFrom('sessions').select('id').where('token_hash', '=', hashOf(phone))
    expect(await left.execute()).toEqual([])
    expect(await endOf(phone)).toEqual(expired)
  })

  test('answers nothing to anyone without the token, or with one that works', async () => {
    expectOk(await person.delete('/sessions'))
    const found = new Set<string>()
    const hash = hashOf(phone)
    for (const cookie of [
      '',
      person.cookie,
      'portico=',
      'portico=made-up',
      `${phone.cookie}x`,
      `portico=${hash.toString('hex')}`,
      `portico=${hash.toString('base64url')}`,
    ]) {
      const answer = await fetch(`${server.url}/portal/v1/session/end`, { headers: { cookie } })
      found.add(`${answer.status} ${await answer.text()}`)
    }
    expect([...found]).toEqual(['200 {"end":null}'])
    expect(await endOf(phone)).not.toBeNull()
  })

  test.each(['signing out', 'ending the current session'])('says nothing after %s', async (how) => {
    const { cookie } = phone
    if (how === 'signing out') expectOk(await phone.delete('/sessions/current'))
    else await endOther(phone, phone)
    const kept = new Person(server).known(person.id, cookie)
    expect(await kept.get('/session')).toMatchObject({ status: 204 })
    expect(await endOf(kept)).toBeNull()
    expect(await endOf(phone)).toBeNull()
  })

  test('says nothing of the session before once the person has signed in again', async () => {
    expectOk(await person.delete('/sessions'))
    expectOk(await phone.post('/sessions', { name: person.name, password: person.password }))
    expect(await endOf(phone)).toBeNull()
    expectOk(await phone.delete('/sessions/current'))
    expect(await endOf(phone)).toBeNull()
  })

  test('doesn’t let an ended session act again', async () => {
    expectOk(await person.delete('/sessions'))
    expect(await endOf(phone)).not.toBeNull()
    expect(await phone.get('/sessions')).toMatchObject({ status: 401 })
  })
})

describe('ended sessions', () => {
  const entriesOf = ({ id }: Person) =>
    kysely.selectFrom('ended_sessions').select(['reason', 'token_hash']).where('account_id', '=', id).execute()

  test('are forgotten after 30 days', async () => {
    const person = await new Person(server).signUp()
    const [phone, tablet] = [await person.signInElsewhere(), await person.signInElsewhere()]
    expectOk(await person.delete('/sessions'))
    for (const [device, age] of [
      [phone, '30 days 1 hour'],
      [tablet, '29 days 23 hours'],
    ] as const) {
      await kysely
        .updateTable('ended_sessions')
        .set({ ended_at: sql<string>`now() - ${age}::interval` })
        .where('token_hash', '=', hashOf(device))
        .execute()
    }
    await sweep(server.services)
    expect(await endOf(phone)).toBeNull()
    expect(await endOf(tablet)).toMatchObject({ reason: 'signed_out_everywhere' })
  })

  test('are limited in number: the oldest of an account are forgotten', async () => {
    const person = await new Person(server).signUp()
    const phone = await person.signInElsewhere()
    expectOk(await person.delete('/sessions'))
    expect(await endOf(phone)).not.toBeNull()
    await fillSessions(person)
    const tablet = await person.signInElsewhere()
    expectOk(await person.post('/sessions', { name: person.name, password: person.password }))
    expectOk(await person.delete('/sessions'))
    expect(await entriesOf(person)).toHaveLength(LIMITS.sessions)
    expect(await endOf(phone)).toBeNull()
    expect(await endOf(tablet)).not.toBeNull()
  })

  test('are part of the person’s exported data', async () => {
    const person = await new Person(server).signUp()
    await person.signInElsewhere()
    expectOk(await person.delete('/sessions'))
    expect(expectOk(await person.get('/account/data'))).toMatchObject({
      endedSessions: [{ reason: 'signed_out_everywhere', endedAt: expect.any(String) }],
    })
  })
})
