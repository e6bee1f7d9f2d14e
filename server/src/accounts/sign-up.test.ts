import { LIMITS } from '@portico/contract'
import { expect, test } from 'vitest'
import { Person } from '../../test/person.ts'
import { startServer } from '../../test/start-server.ts'
import { hashPassword } from './password.ts'
import { setUpCode } from './set-up.ts'

const server = await startServer({ TRUSTED_PROXIES: '127.0.0.1' })
const administrator = await new Person(server).setUp(setUpCode(server.services.secret))

function signUp(name: string, address: string, invitation?: string) {
  const body = { name, password: 'correct horse battery', ...(invitation !== undefined && { invitation }) }
  return new Person(server).request('POST', '/accounts', body, { 'x-forwarded-for': address })
}

/** CPU time of this process, which runs the server, threads included: independent of the load of the machine. */
async function processorTime(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return user + system
}

test('signUp hashes no password for a request that is refused anyway', async () => {
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

test('signUp is refused after too many attempts from one network', async () => {
  const [network, other] = ['198.51.100.3', '198.51.100.4']
  for (let taken = 0; taken < LIMITS.signUpsPerMinute; taken++) {
    await server.services.quotas.take(`sign-ups from ${network}`, LIMITS.signUpsPerMinute)
  }
  const refused = await signUp('Somebody new', network)
  expect(refused).toMatchObject({ status: 429, body: { retryAfterSec: expect.any(Number) } })
  expect(refused.headers.get('retry-after')).not.toBeNull()
  expect((await signUp('Somebody new', other)).status).toBe(201)
})
