import { setTimeout as sleep } from 'node:timers/promises'
import { LIMITS } from '@portico/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import { setUpCode } from '../accounts/set-up.ts'
import { expectWithinLimit, type AcceptedRequest } from '../../test/accepted-requests.ts'
import type { Bot } from '../../test/bot.ts'
import { channelFixture } from '../../test/channel-fixture.ts'
import { eventually } from '../../test/eventually.ts'
import { Person } from '../../test/person.ts'
import { redisProgram } from '../../test/redis.ts'
import { startCluster, type Cluster } from '../../test/start-cluster.ts'
import { startServer, type TestServer } from '../../test/start-server.ts'

/** In seconds: how long the nodes are hammered. Longer than a window; for a thorough run, set more. */
const HAMMERED = Number(process.env['PORTICO_TEST_HAMMER_SECONDS'] ?? LIMITS.quotaWindow + 10)

const METRICS_TOKEN = 'a token to read metrics with'

interface Answer {
  readonly status: number
  readonly isAccepted: boolean
  readonly left: number
}

async function askDuringFaults(node: TestServer, { key }: Bot): Promise<Answer> {
  const { status, headers } = await fetch(`${node.url}/api/v1/me`, { headers: { authorization: `Bot ${key}` } })
  return { status, isAccepted: status === 200, left: Number(headers.get('x-ratelimit-remaining')) }
}

async function ask(node: TestServer, bot: Bot): Promise<Omit<Answer, 'status'>> {
  const { status, ...answer } = await askDuringFaults(node, bot)
  if (status !== 200 && status !== 429) throw new Error(`answered ${status}`)
  return answer
}

describe.skipIf(redisProgram === undefined)('the quotas of a cluster', { timeout: 300_000 + HAMMERED * 1000 }, () => {
  let cluster: Cluster
  let newBot: () => Promise<Bot>

  beforeAll(async () => {
    cluster = await startCluster(4, { METRICS_TOKEN })
    const [server] = cluster.nodes
    const administrator = await new Person(server).setUp(setUpCode(server.services.secret))
    const fixture = await channelFixture({ portal: { server, administrator } })
    newBot = () => fixture.newBot({ quotas: 'usual' })
  })

  const nodeAt = (index: number): TestServer => cluster.nodes[index % cluster.nodes.length] ?? cluster.nodes[0]

  test('accept exactly 60 of 200 simultaneous requests, and each response has its own remaining number', async () => {
    const bot = await newBot()
    const answers = await Promise.all(Array.from({ length: 200 }, (_, index) => ask(nodeAt(index), bot)))
    const left = answers.filter(({ isAccepted }) => isAccepted).map((answer) => answer.left)
    expect(left.toSorted((one, other) => other - one)).toEqual(Array.from({ length: 60 }, (_, n) => 59 - n))
    expect(answers.filter(({ isAccepted, left }) => !isAccepted && left === 0)).toHaveLength(140)
  })

  test('outlive a node', async () => {
    const bot = await newBot()
    const node = await startServer(cluster.settings)
    for (let n = 0; n < 10; n += 1) await ask(node, bot)
    await node.close()
    const successor = await startServer(cluster.settings)
    expect(await ask(successor, bot)).toEqual({ isAccepted: true, left: 49 })
    expect(await ask(nodeAt(0), bot)).toEqual({ isAccepted: true, left: 48 })
  })

  test('hold in every minute of hammering, also when Redis is killed and restarts empty', async () => {
    const bot = await newBot()
    const accepted: AcceptedRequest[] = []
    const end = performance.now() + HAMMERED * 1000
    const hammered = cluster.nodes.map(async (node) => {
      while (performance.now() < end) {
        const sent = performance.now()
        const { status, isAccepted } = await askDuringFaults(node, bot)
        // While Redis is away, the nodes may not agree on where to count before the deadline.
        if (![200, 429, 504].includes(status)) throw new Error(`answered ${status}`)
        if (isAccepted) accepted.push({ sent, answered: performance.now() })
        else await sleep(20)
      }
    })
    const ready = async () => (await fetch(`${nodeAt(0).url}/readyz`)).json()
    const redisUp = async () => {
      const headers = { authorization: `Bearer ${METRICS_TOKEN}` }
      const metrics = await (await fetch(`${nodeAt(0).url}/metrics`, { headers })).text()
      return /^portico_redis_up (.*)$/m.exec(metrics)?.[1]
    }
    await eventually(() => accepted.length).toBe(60)
    await cluster.redis.kill()
    await eventually(ready).toEqual({ status: 'ready', degraded: ['redis'] })
    expect(await redisUp()).toBe('0')
    // Another bot can send meanwhile.
    expect(await ask(nodeAt(1), await newBot())).toEqual({ isAccepted: true, left: 59 })
    await cluster.redis.startAgain()
    await eventually(ready).toEqual({ status: 'ready' })
    await Promise.all(hammered)
    expect(accepted.length).toBeGreaterThan(60)
    expectWithinLimit(accepted, LIMITS.requestQuota, LIMITS.quotaWindow * 1000)
    expect(await redisUp()).toBe('1')
  })
})
