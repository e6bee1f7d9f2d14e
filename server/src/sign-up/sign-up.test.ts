import { LIMITS, type Invitation, type Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { channelFixture, expectOk, portal } from '../../test/channel-fixture.ts'
import { closedChannel } from '../../test/closed-channel.ts'
import { PASSWORD as password, Person } from '../../test/person.ts'
import { startServer } from '../../test/start-server.ts'
import { hashPassword } from '../accounts/password.ts'

const { server, administrator } = await portal({ TRUSTED_PROXIES: '127.0.0.1' })

type SignedIn = Output<typeof api.signIn>

let count = 0
/** A name that no one has, with upper-case and lower-case letters. */
function newName(): string {
  return `Ада Nováková ${++count}`
}

function signUp(name: string, address: string, invitation?: string) {
  const body = { name, password, ...(invitation !== undefined && { invitation }) }
  return new Person(server).request('POST', '/accounts', body, { 'x-forwarded-for': address })
}

/** CPU time of this process, which runs the server, threads included: independent of the load of the machine. */
async function processorTime(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return user + system
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

  test('hashes no password for a request that is refused anyway', async () => {
    const refuse = async (count: number) => {
      const attempts = Array.from({ length: count }, (_, number) => [
        signUp(`Newcomer ${number}`, '198.51.100.1', 'bogus-invitation-code'),
        signUp(administrator.name, '198.51.100.2'),
      ])
      const answers = await Promise.all(attempts.flat())
      expect(answers.filter(({ status }) => status === 422)).toHaveLength(2 * count)
    }
    // Warm up what is compiled and connected on first use.
    await refuse(5)
    await hashPassword('another horse battery')
    const oneHash = (await processorTime(() => Promise.all(Array.from({ length: 10 }, () => hashPassword('x'))))) / 10
    const refusals = await processorTime(() => refuse(30))
    expect(refusals).toBeLessThan(30 * oneHash)
  })

  test('is refused after too many attempts from one network', async () => {
    const [network, other] = ['198.51.100.3', '198.51.100.4']
    for (let taken = 0; taken < LIMITS.signUpsPerMinute; taken++) {
      await server.services.quotas.take(`sign-ups from ${network}`, LIMITS.signUpsPerMinute)
    }
    const refused = await signUp('New person', network)
    expect(refused).toMatchObject({ status: 429, body: { retryAfterSec: expect.any(Number) } })
    expect(refused.headers.get('retry-after')).not.toBeNull()
    expect((await signUp('New person', other)).status).toBe(201)
  })
})

describe('signUp while registration is closed', () => {
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

  test('creates no account if the invitation doesn’t work', async () => {
    const { at, invite } = await closedChannel()
    const { code } = await invite({ maxUses: 1 })
    expectOk(await administrator.patch('/instance', { registrationOpen: false }))
    try {
      await expect(new Person(server).signUp()).rejects.toThrow('by invitation')
      const ada = await new Person(server).signUp({ invitation: code })
      expect((await ada.get(at)).status).toBe(200)

      const late = new Person(server)
      await expect(late.signUp({ invitation: code })).rejects.toThrow('isn’t valid')
      expect((await late.post('/sessions', { name: late.name, password: late.password })).status).toBe(401)
    } finally {
      expectOk(await administrator.patch('/instance', { registrationOpen: true }))
    }
  })
})
