import { describe, expect, test } from 'vitest'
import { Person, type Answer } from '../../test/person.ts'
import { startServer } from '../../test/start-server.ts'
import { networkOf } from './network-of.ts'
import { setUpCode } from './set-up.ts'
import { byAccount, byAccountAndNetwork, byAddress, countAttempt } from './sign-in-throttle.ts'

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

  test('still accepts known devices after a hundred failures from anywhere', async () => {
    const person = await new Person(server).signUp()
    await failElsewhere(person.name, 100)
    expect(await tryFrom(newAddress(), person.name, person.password)).toMatchObject(tooMany)
    const address = newAddress()
    expect(await tryFrom(address, person.name, 'a typing error', person.device)).toMatchObject({ status: 401 })
    expect(await tryFrom(address, person.name, person.password, person.device)).toMatchObject({ status: 201 })
  })

  test('counts a known device separately, and forgets it when the password changes', async () => {
    const [person, other] = [await new Person(server).signUp(), await new Person(server).signUp()]
    const { device } = person
    for (let tries = 0; tries < 10; tries++) {
      expect((await tryFrom(newAddress(), person.name, 'a wrong guess', device)).status).toBe(401)
    }
    expect(await tryFrom(newAddress(), person.name, person.password, device)).toMatchObject(tooMany)
    expect(await tryFrom(newAddress(), person.name, person.password)).toMatchObject({ status: 201 })

    await failElsewhere(other.name, 100)
    for (const cookie of [device, other.device.slice(0, -1), 'portico-device=.', 'portico-device=a.b.c']) {
      expect(await tryFrom(newAddress(), other.name, other.password, cookie)).toMatchObject(tooMany)
    }
    const before = other.device
    const [currentPassword, newPassword] = [other.password, 'another horse battery']
    await other.put('/account/password', { currentPassword, newPassword })
    expect(await tryFrom(newAddress(), other.name, newPassword, before)).toMatchObject(tooMany)
    expect(await tryFrom(newAddress(), other.name, newPassword, other.device)).toMatchObject({ status: 201 })
  })

  test('treats unknown names the same, so that it does not reveal which exist', async () => {
    const name = 'Nobody of this name'
    const address = newAddress()
    for (let tries = 0; tries < 10; tries++) expect((await tryFrom(address, name)).status).toBe(401)
    expect(await tryFrom(address, name)).toMatchObject(tooMany)
    await failElsewhere(name, 90)
    expect(await tryFrom(newAddress(), name)).toMatchObject(tooMany)
  })

  test('refuses an address after fifty failures with any names', async () => {
    const person = await new Person(server).signUp()
    const address = newAddress()
    // Forty without the cost of hashing.
    for (let failed = 0; failed < 40; failed++) await countAttempt(server.services, [byAddress(address)])
    const tries = Array.from({ length: 20 }, (_, number) => tryFrom(address, `Nobody ${number}`))
    const statuses = (await Promise.all(tries)).map(({ status }) => status)
    // Sent concurrently: no more of them were tried than if they had been sent one by one.
    expect(statuses.filter((status) => status === 401)).toHaveLength(10)
    expect(statuses.filter((status) => status === 429)).toHaveLength(10)
    expect(await tryFrom(address, person.name, person.password)).toMatchObject(tooMany)
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
    for (let tries = 0; tries < 5; tries++) expect((await tryFrom(address, person.name)).status).toBe(401)
    expect(await tryFrom(address, person.name, person.password)).toMatchObject(tooMany)
    expect(await tryFrom(newAddress(), person.name, person.password)).toMatchObject({ status: 201 })
  })

  test('throttles the set-up code by address, so that no one can lock the operator out', async () => {
    const fresh = await startServer({ TRUSTED_PROXIES: '127.0.0.1' })
    const attempt = (address: string, code: string) =>
      new Person(fresh).request(
        'POST',
        '/set-up',
        { code, name: 'Ada', password: 'correct horse battery' },
        { 'x-forwarded-for': address },
      )
    const guesses = await Promise.all(Array.from({ length: 55 }, () => attempt('198.51.100.1', 'guess')))
    expect(guesses.filter(({ status }) => status === 403)).toHaveLength(50)
    const code = setUpCode(fresh.services.secret)
    expect(await attempt('198.51.100.1', code)).toMatchObject(tooMany)
    expect(await attempt('198.51.100.2', code)).toMatchObject({ status: 201 })
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
