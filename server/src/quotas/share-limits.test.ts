import { RATE_LIMITS } from '@portico/contract'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { setUpCode } from '../accounts/set-up.ts'
import { Person } from '../../test/person.ts'
import { RawSocket } from '../../test/raw-socket.ts'
import { redisProgram } from '../../test/redis.ts'
import { startCluster } from '../../test/start-cluster.ts'
import type { TestServer } from '../../test/start-server.ts'

const MOST_REQUESTS = 60
const FACTOR = MOST_REQUESTS / RATE_LIMITS.personRequests

describe.skipIf(redisProgram === undefined)('the limits of people in a cluster', () => {
  let one: TestServer
  let other: TestServer
  let person: Person

  beforeAll(async () => {
    const { nodes } = await startCluster(2, { RATE_LIMIT_FACTOR: String(FACTOR) })
    ;[one, other] = nodes
    person = await new Person(one).setUp(setUpCode(one.services.secret))
  })

  test('count open sockets on other nodes, and closing one frees a place', async () => {
    const open = async (node: TestServer) => {
      const raw = await RawSocket.open(node, { cookie: person.cookie, origin: node.url })
      return { raw, answer: await raw.ask({ id: 1, connect: {} }) }
    }
    const most = Math.floor(RATE_LIMITS.personSockets * FACTOR)
    const opened = []
    for (let count = 0; count < most; count += 1) opened.push(await open(one))
    for (const { answer } of opened) expect(answer).toHaveProperty('connect')

    const isAccepted = async (): Promise<boolean> => {
      const { raw, answer } = await open(other)
      raw.socket.terminate()
      return 'connect' in answer
    }
    const until = async (accepted: boolean): Promise<void> => {
      while ((await isAccepted()) !== accepted) await sleep(300)
    }
    await until(false)
    opened[0]?.raw.socket.terminate()
    await until(true)
  })

  test('count requests to other nodes', async () => {
    const ask = async (node: TestServer): Promise<number> => {
      const { status } = await fetch(`${node.url}/portal/v1/session`, { headers: { cookie: person.cookie } })
      return status
    }
    const answers = await Promise.all(Array.from({ length: MOST_REQUESTS + 1 }, () => ask(one)))
    expect(answers).toContain(429)
    let accepted = 0
    for (; accepted < MOST_REQUESTS && (await ask(other)) === 200; accepted += 1) await sleep(100)
    expect(accepted).toBeLessThan(MOST_REQUESTS)
  })
})
