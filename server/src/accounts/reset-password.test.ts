import type { Account, AuditEntry } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { CLOSES } from '../events/stream-codes.ts'
import { expectOk, portal } from '../../test/channel-fixture.ts'
import { expectRefusal } from '../../test/expect-refusal.ts'
import { newPerson } from '../../test/new-person.ts'
import { Person } from '../../test/person.ts'
import { RawSocket } from '../../test/raw-socket.ts'
import { sweep } from '../maintenance.ts'
import { byAddress, countAttempt } from './sign-in-throttle.ts'

const { server, administrator } = await portal()
const NEW_PASSWORD = 'something new entirely'
const UNKNOWN = 'x'.repeat(43)

interface Link {
  readonly url: string
  readonly expiresAt: string
}

async function linkFor({ id }: Person): Promise<Link & { code: string }> {
  const link = expectOk(await administrator.post<Link>(`/administration/people/${id}/reset-link`))
  return { ...link, code: new URL(link.url).hash.slice(1) }
}

const reset = (code: string, by = new Person(server)) =>
  by.post<{ account: Account }>('/password-resets', { code, newPassword: NEW_PASSWORD })
const check = (code: string) => new Person(server).post<{ name: string }>('/password-resets/check', { code })
const signIn = ({ name }: Person, password: string) => new Person(server).post('/sessions', { name, password })
const notValid = { reason: 'reset_link_not_valid', message: 'This reset link no longer works.' } as const

async function expire({ id }: Person): Promise<void> {
  await server.services.database.pool.query('UPDATE reset_links SET expires_at = now() WHERE account_id = $1', [id])
}

async function stored({ id }: Person): Promise<{ code_hash: Buffer }[]> {
  const { rows } = await server.services.database.pool.query<{ code_hash: Buffer }>(
    'SELECT code_hash FROM reset_links WHERE account_id = $1',
    [id],
  )
  return rows
}

describe('createResetLink', () => {
  test('makes a link to this portal that works for a day, and stores only its hash', async () => {
    const person = await newPerson(server)
    const { url, code, expiresAt } = await linkFor(person)
    expect(url).toBe(`${server.services.linkBase()}/reset-password#${code}`)
    const hours = (Date.parse(expiresAt) - Date.now()) / 3_600_000
    expect(hours).toBeGreaterThan(23.9)
    expect(hours).toBeLessThanOrEqual(24.01)
    const rows = await stored(person)
    expect(rows).toHaveLength(1)
    expect(rows[0]?.code_hash.includes(Buffer.from(code, 'base64url'))).toBe(false)
  })

  test('is for administrators, and for people who exist and are not disabled', async () => {
    const person = await newPerson(server)
    const at = `/administration/people/${person.id}`
    expectRefusal(await person.post(`${at}/reset-link`), 'forbidden', { reason: 'not_an_administrator' })
    const nobody = '01a05bfb-6e04-7f18-a3b7-92c1e50d8f46'
    expectRefusal(await administrator.post(`/administration/people/${nobody}/reset-link`), 'unprocessable', {
      reason: 'no_such_person',
    })
    expectOk(await administrator.patch(at, { disabled: true }))
    expectRefusal(await administrator.post(`${at}/reset-link`), 'forbidden', { reason: 'account_disabled' })
  })

  test('replaces the previous link of the person', async () => {
    const person = await newPerson(server)
    const first = await linkFor(person)
    const second = await linkFor(person)
    expectRefusal(await reset(first.code), 'unprocessable', notValid)
    expect(await stored(person)).toHaveLength(1)
    expect((await reset(second.code)).status).toBe(201)
  })
})

describe('resetPassword', () => {
  test('sets the password, ends all sessions with their sockets, and signs in', async () => {
    const person = await newPerson(server)
    const socket = await RawSocket.open(server, { cookie: person.cookie, origin: server.url })
    expect(await socket.ask({ id: 1, connect: {} })).toMatchObject({ connect: {} })
    const { code } = await linkFor(person)
    expect(expectOk(await check(code))).toEqual({ name: person.name })

    const browser = new Person(server)
    expect(expectOk(await reset(code, browser)).account).toMatchObject({ id: person.id, name: person.name })

    expect((await browser.get('/session')).status).toBe(200)
    expect((await person.get('/session')).status).toBe(204)
    expect((await socket.closed).code).toBe(CLOSES.revoked.code)
    expectRefusal(await signIn(person, person.password), 'unauthorized', { reason: 'wrong_credentials' })
    expect((await signIn(person, NEW_PASSWORD)).status).toBe(201)
    const { entries } = expectOk(await administrator.get<{ entries: AuditEntry[] }>('/audit-log?subject=account'))
    expect(entries.filter(({ targetId }) => targetId === person.id)).toMatchObject([
      { action: 'account.password_reset', actor: null, targetName: person.name },
      { action: 'account.reset_link_created', actor: { id: administrator.id }, targetName: person.name },
    ])
    expect(JSON.stringify(entries)).not.toContain(code)
  })

  test('works once, also if it is used many times at once', async () => {
    const person = await newPerson(server)
    const { code } = await linkFor(person)
    const answers = await Promise.all(Array.from({ length: 5 }, () => reset(code)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 422, 422, 422, 422])
    expectRefusal(await check(code), 'unprocessable', notValid)
  })

  test('refuses a link that has expired, and the hourly job deletes it', async () => {
    const person = await newPerson(server)
    const { code } = await linkFor(person)
    await expire(person)
    expectRefusal(await check(code), 'unprocessable', notValid)
    expectRefusal(await reset(code), 'unprocessable', notValid)
    await sweep(server.services)
    expect(await stored(person)).toEqual([])
  })

  test('keeps the link if the new password is too short', async () => {
    const person = await newPerson(server)
    const { code } = await linkFor(person)
    const short = await new Person(server).post('/password-resets', { code, newPassword: 'short' })
    expect(short).toMatchObject({ status: 400, body: { field: 'newPassword' } })
    expect((await reset(code)).status).toBe(201)
  })

  test.each([
    [
      'the person changed their password',
      (person: Person) =>
        person.put('/account/password', { currentPassword: person.password, newPassword: 'their own choice' }),
    ],
    [
      'an administrator set a password',
      ({ id }: Person) =>
        administrator.put(`/administration/people/${id}/password`, { newPassword: 'the operator chose it' }),
    ],
    [
      'the account was disabled and enabled again',
      async ({ id }: Person) => {
        const at = `/administration/people/${id}`
        expectOk(await administrator.patch(at, { disabled: true }))
        return administrator.patch(at, { disabled: false })
      },
    ],
    ['the account was deleted', (person: Person) => person.post('/account/deletion', { password: person.password })],
  ])('refuses the link after %s', async (_, change) => {
    const person = await newPerson(server)
    const { code } = await linkFor(person)
    expectOk(await change(person))
    expectRefusal(await reset(code), 'unprocessable', notValid)
    expect(await stored(person)).toEqual([])
  })

  test('lets the person sign in again after too many failed attempts', async () => {
    const person = await newPerson(server)
    for (let tries = 0; tries < 10; tries += 1) await signIn(person, 'a wrong password')
    expect((await signIn(person, person.password)).status).toBe(429)
    expect((await reset((await linkFor(person)).code)).status).toBe(201)
    expect((await signIn(person, NEW_PASSWORD)).status).toBe(201)
  })

  test('slows guesses from one network down, and still accepts a link that works', async () => {
    const address = '127.0.0.1'
    for (let failed = 0; failed < 50; failed += 1) await countAttempt(server.services, [byAddress(address)])
    expectRefusal(await check(UNKNOWN), 'unprocessable', { reason: 'reset_link_not_valid' })
    expect((await reset((await linkFor(await newPerson(server))).code)).status).toBe(201)
    // More than may wait.
    const { subject, pause = 0 } = byAddress(address)
    while (server.services.attempts.lane.enter(subject, pause).isAdmitted);
    const statuses: number[] = []
    while (!statuses.includes(429)) {
      const guesses = await Promise.all(Array.from({ length: 20 }, () => check(UNKNOWN)))
      statuses.push(...guesses.map(({ status }) => status))
    }
    expect(statuses.filter((status) => status !== 422 && status !== 429)).toEqual([])
  })
})
