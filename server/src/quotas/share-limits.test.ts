import { RATE_LIMITS } from '@portico/contract'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { setUpCode } from '../accounts/set-up.ts'
import { Person } from '../../test/person.ts'
import { redisProgram } from '../../test/redis.ts'
import { startCluster } from '../../test/start-cluster.ts'

describe.skipIf(redisProgram === undefined)('the limits of people in a cluster', () => {
  test('count requests to other nodes', async () => {
    const limit = 60
    const { nodes } = await startCluster(2, { RATE_LIMIT_FACTOR: String(limit / RATE_LIMITS.personRequests) })
    const [one, other] = nodes
    const person = await new Person(one).setUp(setUpCode(one.services.secret))
    const ask = async (node: typeof one): Promise<number> => {
      const { status } = await fetch(`${node.url}/portal/v1/session`, { headers: { cookie: person.cookie } })
      return status
    }
    const answers = await Promise.all(Array.from({ length: limit + 1 }, () => ask(one)))
    expect(answers).toContain(429)
    let accepted = 0
    for (; accepted < limit && (await ask(other)) === 200; accepted += 1) await sleep(100)
    expect(accepted).toBeLessThan(limit)
  })
})
