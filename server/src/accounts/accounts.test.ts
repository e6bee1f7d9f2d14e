import type { Account, Instance, Invitation, Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { Person } from '../../test/person.ts'
import { startServer } from '../../test/start-server.ts'
import { expectOk, portal, channelFixture } from '../../test/channel-fixture.ts'
import { setUpCode } from './set-up.ts'

const { server, administrator } = await portal()
const password = 'correct horse battery'

type SignedIn = Output<typeof api.signIn>
type Sessions = Output<typeof api.listSessions>

let count = 0
/** A name that no one has, with upper-case and lower-case letters. */
function newName(): string {
  return `Ада Nováková ${++count}`
}

/** The same account on another device. */
async function elsewhere(person: Person, device = 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0'): Promise<Person> {
  const browser = new Person(server, person.name)
  const headers = { 'user-agent': device }
  expectOk(await browser.request('POST', '/sessions', { name: person.name, password: person.password }, headers))
  return browser
}

describe('signUp', () => {
  test('creates an account and signs in', async () => {
    const person = new Person(server)
    const name = newName()
    const { account } = expectOk(await person.post<SignedIn>('/accounts', { name, password, locale: 'ru' }))
    expect(account).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name,
      avatar: `${account.id}.svg`,
      avatarVersion: 1,
      isAdministrator: false,
      locale: 'ru',
      theme: 'system',
    })
    expect(expectOk(await person.get('/session'))).toEqual({ account, sessionId: expect.any(String) })
  })

  test('rejects a name that is taken, in any spelling', async () => {
    const name = newName()
    expectOk(await new Person(server).post('/accounts', { name, password }))
    for (const same of [name, name.toUpperCase(), name.toLowerCase(), `  ${name} `]) {
      expect(await new Person(server).post('/accounts', { name: same, password })).toMatchObject({
        status: 422,
        body: { message: 'This name is taken.', reason: 'name_taken' },
      })
    }
  })

  test('gives a name to exactly one of many people who request it concurrently', async () => {
    const name = newName()
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => new Person(server).post('/accounts', { name, password })),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 422, 422, 422, 422])
  })

  test.each([
    ['name', { name: 'A', password }],
    ['name', { name: ' A ', password }],
    ['name', { name: 'x'.repeat(33), password }],
    ['name', { name: '   ', password }],
    ['name', { name: 'Ada\0', password }],
    ['password', { name: 'Ada Novak', password: 'too short' }],
    ['password', { name: 'Ada Novak', password: 'x'.repeat(257) }],
    ['locale', { name: 'Ada Novak', password, locale: 'tlh' }],
  ])('refuses a %s that does not fit', async (field, body) => {
    expect(await new Person(server).post('/accounts', body)).toMatchObject({ status: 400, body: { field } })
  })

  test('is refused until the portal has an administrator', async () => {
    const fresh = await startServer()
    expect(await new Person(fresh).post('/accounts', { name: 'Ada', password })).toMatchObject({
      status: 403,
      body: { reason: 'set_up_first' },
    })
  })
})

describe('closed registration', () => {
  test('accepts people with an invitation and adds them to its channel in the same step', async () => {
    const { owner, channel, at } = await channelFixture()
    const { code } = expectOk(await owner.post<Invitation>(`${at}/invitations`, { maxUses: 1 }))
    const name = newName()
    expectOk(await administrator.patch('/instance', { registrationOpen: false }))
    try {
      expect(await new Person(server).post('/accounts', { name, password })).toMatchObject({
        status: 403,
        body: { reason: 'registration_closed' },
      })
      const wrong = await new Person(server).post('/accounts', { name, password, invitation: 'nonsense-code' })
      expect(wrong.status).toBe(422)

      const invited = new Person(server)
      expectOk(await invited.post('/accounts', { name, password, invitation: code }))
      expect(expectOk(await invited.get('/channels'))).toMatchObject({ channels: [{ id: channel.id }] })

      const late = await new Person(server).post('/accounts', { name: newName(), password, invitation: code })
      expect(late.status).toBe(422)
    } finally {
      expectOk(await administrator.patch('/instance', { registrationOpen: true }))
    }
  })

  test('can be changed only by administrators', async () => {
    const person = await new Person(server).signUp()
    expect(await person.patch('/instance', { registrationOpen: false })).toMatchObject({
      status: 403,
      body: { reason: 'not_an_administrator' },
    })
    expect(expectOk(await person.get<Instance>('/instance'))).toMatchObject({
      registrationOpen: true,
      needsSetUp: false,
    })
  })
})

describe('signIn', () => {
  test('accepts the name in any case', async () => {
    const name = newName()
    expectOk(await new Person(server).post('/accounts', { name, password }))
    for (const same of [name, name.toUpperCase(), ` ${name.toLowerCase()}`]) {
      const answer = await new Person(server).post<SignedIn>('/sessions', { name: same, password })
      expect(expectOk(answer).account.name).toBe(name)
    }
  })

  test('does not reveal whether the name or the password was wrong', async () => {
    const person = await new Person(server).signUp()
    const [unknown, wrong] = await Promise.all([
      new Person(server).post('/sessions', { name: newName(), password }),
      new Person(server).post('/sessions', { name: person.name, password: `${password}!` }),
    ])
    expect(unknown).toMatchObject({ status: 401, body: { reason: 'wrong_credentials' } })
    expect(wrong.body).toEqual(unknown.body)
  })
})

describe('sessions', () => {
  test('are listed with device and address, and the current one is marked', async () => {
    const person = await new Person(server).signUp()
    await elsewhere(person, 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/605.1')
    const { sessions } = expectOk(await person.get<Sessions>('/sessions'))
    expect(sessions).toHaveLength(2)
    expect(sessions.filter(({ current }) => current)).toHaveLength(1)
    expect(sessions.map(({ device }) => device)).toContain('Safari on iOS')
    expect(new Set(sessions.map(({ address }) => address))).toEqual(new Set(['127.0.0.1']))
    for (const { lastUsedAt, createdAt } of sessions) {
      expect([lastUsedAt, createdAt]).toEqual([expect.stringMatching(/T.*\.\d{3}Z$/), expect.stringMatching(/Z$/)])
    }
  })

  test('can be ended one by one, only by their owner', async () => {
    const person = await new Person(server).signUp()
    const phone = await elsewhere(person)
    const { sessions } = expectOk(await person.get<Sessions>('/sessions'))
    const other = sessions.find(({ current }) => !current)?.id

    const stranger = await new Person(server).signUp()
    expect(await stranger.delete(`/sessions/${other}`)).toMatchObject({
      status: 422,
      body: { reason: 'no_such_session' },
    })
    expect(await phone.get('/session')).toMatchObject({ status: 200 })

    expect(await person.delete(`/sessions/${other}`)).toMatchObject({ status: 204 })
    expect(await phone.get('/session')).toMatchObject({ status: 401 })
    expect(await person.get('/session')).toMatchObject({ status: 200 })
  })

  test('can all be ended except the current one', async () => {
    const person = await new Person(server).signUp()
    const [phone, tablet] = [await elsewhere(person), await elsewhere(person)]
    expect(await person.delete('/sessions')).toMatchObject({ status: 204 })
    expect(await phone.get('/session')).toMatchObject({ status: 401 })
    expect(await tablet.get('/session')).toMatchObject({ status: 401 })
    expect(expectOk(await person.get<Sessions>('/sessions')).sessions).toHaveLength(1)
  })
})

describe('changePassword', () => {
  test('signs out everywhere else', async () => {
    const person = await new Person(server).signUp()
    const phone = await elsewhere(person)
    const newPassword = 'another horse battery'
    expect(await person.put('/account/password', { currentPassword: password, newPassword })).toMatchObject({
      status: 204,
    })
    expect(await person.get('/session')).toMatchObject({ status: 200 })
    expect(await phone.get('/session')).toMatchObject({ status: 401 })

    const { name } = person
    expect(await phone.post('/sessions', { name, password })).toMatchObject({ status: 401 })
    expect(await phone.post('/sessions', { name, password: newPassword })).toMatchObject({ status: 201 })
  })

  test('requires the current password and throttles guesses', async () => {
    const person = await new Person(server).signUp()
    const guess = () => person.put('/account/password', { currentPassword: 'a guess', newPassword: 'a new password' })
    for (let tries = 0; tries < 10; tries++) {
      expect(await guess()).toMatchObject({
        status: 400,
        body: { field: 'currentPassword', reason: 'wrong_password' },
      })
    }
    expect(await guess()).toMatchObject({ status: 429, body: { reason: 'too_many_attempts' } })
  })
})

describe('updateAccount', () => {
  test('changes name, language and theme, and leaves absent fields unchanged', async () => {
    const person = await new Person(server).signUp()
    const name = newName()
    expect(expectOk(await person.patch<Account>('/account', { name, theme: 'dark' }))).toMatchObject({
      name,
      theme: 'dark',
      locale: null,
      avatarVersion: 2,
    })
    expect(expectOk(await person.patch<Account>('/account', { locale: 'en' }))).toMatchObject({ name, locale: 'en' })
    expect(expectOk(await person.patch<Account>('/account', {}))).toMatchObject({ name, theme: 'dark', locale: 'en' })
  })

  test('rejects another person’s name, and accepts a new spelling of your own', async () => {
    const [person, other] = [await new Person(server).signUp(), await new Person(server).signUp()]
    expect(await person.patch('/account', { name: other.name.toUpperCase() })).toMatchObject({
      status: 422,
      body: { reason: 'name_taken' },
    })
    expect(await person.patch('/account', { name: person.name.toUpperCase() })).toMatchObject({ status: 200 })
  })
})

describe('setUp', () => {
  test('creates the first administrator, once', async () => {
    const fresh = await startServer()
    const visitor = new Person(fresh)
    expect(expectOk(await visitor.get<Instance>('/instance'))).toMatchObject({ needsSetUp: true })
    const code = setUpCode(fresh.services.secret)

    expect(await visitor.post('/set-up', { code: `${code}0`, name: 'Ada', password })).toMatchObject({
      status: 403,
      body: { reason: 'wrong_set_up_code' },
    })
    const { account } = expectOk(
      await visitor.post<SignedIn>('/set-up', { code: ` ${code.toUpperCase()} `, name: 'Ada', password }),
    )
    expect(account).toMatchObject({ name: 'Ada', isAdministrator: true })
    expect(expectOk(await visitor.get<Instance>('/instance'))).toMatchObject({ needsSetUp: false })
    expect(expectOk(await visitor.get('/audit-log'))).toMatchObject({
      entries: [{ action: 'administrator.created', targetName: 'Ada' }],
    })

    expect(await new Person(fresh).post('/set-up', { code, name: 'Eve', password })).toMatchObject({
      status: 403,
      body: { reason: 'set_up_done' },
    })
  })

  test('creates one administrator for any number of concurrent requests', async () => {
    const fresh = await startServer()
    const code = setUpCode(fresh.services.secret)
    const names = ['Ada', 'Bo', 'Cy', 'Di', 'Eve']
    const answers = await Promise.all(names.map((name) => new Person(fresh).post('/set-up', { code, name, password })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 403, 403, 403, 403])
  })
})
