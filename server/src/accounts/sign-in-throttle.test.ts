import { describe, expect, test } from 'vitest'
import { Person, type Answer } from '../../test/person.ts'
import { queryDatabaseOf } from '../../test/query-database.ts'
import { startServer } from '../../test/start-server.ts'
import { networkOf } from './network-of.ts'
import { setUpCode } from './set-up.ts'
import { byAccount, byAccountAndNetwork, byAddress, countAttempt, type Counted } from './sign-in-throttle.ts'

const server = await startServer({ TRUSTED_PROXIES: '127.0.0.1' })
await new Person(server).setUp(setUpCode(server.services.secret))

let houses = 0
/** An address that no other test uses. */
function newAddress(): string {
  houses += 1
  return `203.0.${houses >> 8}.${houses & 255}`
}

/** Tries to sign in from an address, by default with a wrong password. */
function tryFrom(address: string, name: string, password = 'a wrong guess', cookie = ''): Promise<Answer> {
  const headers = { 'x-forwarded-for': address, cookie }
  return new Person(server).request('POST', '/sessions', { name, password }, headers)
}

/** Records failures of a name from that many networks, without the cost of hashing. */
async function failElsewhere(name: string, count: number): Promise<void> {
  for (let failed = 0; failed < count; failed++) {
    await countAttempt(server.services, [byAccountAndNetwork(name, newAddress()), byAccount(name)])
  }
}

/** Lets as many attempts wait as may. */
function fillLane({ subject, pause = 0 }: Counted): void {
  while (server.services.attempts.lane.enter(subject.toLowerCase(), pause).isAdmitted);
}

async function failuresOf({ subject }: Counted): Promise<number> {
  const [row] = await queryDatabaseOf(
    server,
    `SELECT count(*)::int AS count FROM sign_in_failures WHERE subject = lower('${subject}')`,
  )
  return Number(row?.['count'])
}

const tooMany = { status: 429, body: { error: 'Too Many Requests', reason: 'too_many_attempts' } }

describe('sign-in throttle', () => {
  test('refuses an account after ten failures from one network, with Retry-After', async () => {
    const person = await new Person(server).signUp()
    const address = newAddress()
    for (let tries = 0; tries < 10; tries++) {
      const name = tries % 2 ? person.name.toUpperCase() : ` ${person.name} `
      expect(await tryFrom(address, name)).toMatchObject({ status: 401 })
    }
    const refused = await tryFrom(address, person.name, person.password)
    expect(refused).toMatchObject(tooMany)
    const { retryAfterSec } = refused.body as { retryAfterSec: number }
    expect(refused.headers.get('retry-after')).toBe(String(retryAfterSec))
    expect(retryAfterSec).toBeGreaterThan(0)
    expect(retryAfterSec).toBeLessThanOrEqual(15 * 60)

    const other = await new Person(server).signUp()
    expect(await tryFrom(address, other.name, other.password)).toMatchObject({ status: 201 })
  })

  test('does not let a stranger lock people out of their account', async () => {
    const person = await new Person(server).signUp()
    const stranger = newAddress()
    for (let tries = 0; tries < 15; tries++) await tryFrom(stranger, person.name)
    expect(await tryFrom(newAddress(), person.name, person.password)).toMatchObject({ status: 201 })
  })

  test('doesn’t slow down known devices after a hundred failures from anywhere', async () => {
    const person = await new Person(server).signUp()
    await failElsewhere(person.name, 100)
    fillLane(byAccount(person.name))
    const address = newAddress()
    expect(await tryFrom(address, person.name, 'a typing error', person.device)).toMatchObject({ status: 401 })
    expect(await tryFrom(address, person.name, person.password, person.device)).toMatchObject({ status: 201 })
    // They didn't wait with the others.
    expect(await failuresOf(byAccount(person.name))).toBe(100)
  })

  test('counts a known device separately, and forgets it when the password changes', async () => {
    const [person, other] = [await new Person(server).signUp(), await new Person(server).signUp()]
    const { device } = person
    for (let tries = 0; tries < 10; tries++) {
      expect((await tryFrom(newAddress(), person.name, 'a wrong guess', device)).status).toBe(401)
    }
    expect(await tryFrom(newAddress(), person.name, person.password, device)).toMatchObject(tooMany)
    expect(await tryFrom(newAddress(), person.name, person.password)).toMatchObject({ status: 201 })

    const before = other.device
    const [currentPassword, newPassword] = [other.password, 'another horse battery']
    await other.put('/account/password', { currentPassword, newPassword })
    const unknown = [before, device, other.device.slice(0, -1), 'portico-device=.', 'portico-device=a.b.c']
    for (const cookie of unknown) expect((await tryFrom(newAddress(), other.name, 'wrong', cookie)).status).toBe(401)
    expect(await failuresOf(byAccount(other.name))).toBe(unknown.length)
    expect((await tryFrom(newAddress(), other.name, 'wrong', other.device)).status).toBe(401)
    expect(await failuresOf(byAccount(other.name))).toBe(unknown.length)
  })

  test('treats unknown names the same, so that it does not reveal which exist', async () => {
    const name = 'Nobody of this name'
    const address = newAddress()
    for (let tries = 0; tries < 10; tries++) expect((await tryFrom(address, name)).status).toBe(401)
    expect(await tryFrom(address, name)).toMatchObject(tooMany)
    expect(await failuresOf(byAccount(name))).toBe(10)
  })

  test('only slows an address down after fifty failures with any names: a school has one address', async () => {
    const person = await new Person(server).signUp()
    const address = newAddress()
    // Without the cost of hashing.
    for (let failed = 0; failed < 50; failed++) await countAttempt(server.services, [byAddress(address)])
    expect(await tryFrom(address, person.name, person.password)).toMatchObject({ status: 201 })
    expect(await tryFrom(address, person.name, 'a typing error')).toMatchObject({ status: 401 })
    // Many at once wait, and those that would wait for too long are refused, but not as failures.
    fillLane(byAddress(address))
    const before = await failuresOf(byAddress(address))
    const statuses = new Set<number>()
    while (!statuses.has(429)) {
      const tries = Array.from({ length: 20 }, (_, number) => tryFrom(address, `Nobody ${number}`))
      for (const { status } of await Promise.all(tries)) statuses.add(status)
    }
    expect([...statuses].toSorted()).toEqual(statuses.size === 1 ? [429] : [401, 429])
    expect(before).toBeGreaterThanOrEqual(51)
  })

  test('only slows an account down after a hundred failures from anywhere: no one can lock its owner out', async () => {
    const person = await new Person(server).signUp()
    await failElsewhere(person.name, 100)
    expect(await tryFrom(newAddress(), person.name, person.password)).toMatchObject({ status: 201 })
  })

  test('tries no more of many concurrent guesses than of guesses sent one by one', async () => {
    const person = await new Person(server).signUp()
    const address = newAddress()
    const guesses = await Promise.all(Array.from({ length: 30 }, () => tryFrom(address, person.name)))
    expect(guesses.filter(({ status }) => status === 401)).toHaveLength(10)
    expect(guesses.filter(({ status }) => status === 429)).toHaveLength(20)
  })

  test('clears the failures of an account on success, but not those of the address', async () => {
    const person = await new Person(server).signUp()
    const address = newAddress()
    for (let round = 0; round < 5; round++) {
      for (let tries = 0; tries < 9; tries++) expect((await tryFrom(address, person.name)).status).toBe(401)
      expect(await tryFrom(address, person.name, person.password)).toMatchObject({ status: 201 })
    }
    expect(await failuresOf(byAccountAndNetwork(person.name, address))).toBe(0)
    expect(await failuresOf(byAddress(address))).toBe(45)
  })

  test('slows guesses of the set-up code down by address, so that no one can lock the operator out', async () => {
    const fresh = await startServer({ TRUSTED_PROXIES: '127.0.0.1' })
    const attempt = (address: string, code: string) =>
      new Person(fresh).request(
        'POST',
        '/set-up',
        { code, name: 'Ada', password: 'correct horse battery' },
        { 'x-forwarded-for': address },
      )
    for (let failed = 0; failed < 49; failed++) await countAttempt(fresh.services, [byAddress('198.51.100.1')])
    expect(await attempt('198.51.100.1', 'guess')).toMatchObject({ status: 403 })
    const slow = await countAttempt(fresh.services, [byAddress('198.51.100.1')])
    await slow.forgive()
    expect(await attempt('198.51.100.1', setUpCode(fresh.services.secret))).toMatchObject({ status: 201 })
  })
})

describe('networkOf', () => {
  test.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::1', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002:ffff::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['nonsense', 'nonsense'],
  ])('counts %s by %s', (address, network) => {
    expect(networkOf(address)).toBe(network)
  })
})
