import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { setUpCode } from '../accounts/set-up.ts'
import { channelFixture, type Portal } from '../../test/channel-fixture.ts'
import { eventually } from '../../test/eventually.ts'
import { Person } from '../../test/person.ts'
import { startPortico } from '../../test/portico-process.ts'
import { redisProgram } from '../../test/redis.ts'
import { startCluster, type Cluster } from '../../test/start-cluster.ts'
import { Stream } from '../../test/stream.ts'
import { startBalancer } from '../../test/tcp-balancer.ts'

const ROUNDS = Number(process.env['PORTICO_TEST_ROUNDS'] ?? 2)

describe.skipIf(redisProgram === undefined)('a cluster', () => {
  let cluster: Cluster
  let portal: Portal

  beforeAll(async () => {
    cluster = await startCluster(2)
    const [server] = cluster.nodes
    portal = { server, administrator: await new Person(server).setUp(setUpCode(server.services.secret)) }
  })

  /** People who send until `isOver`, through this address, and repeat what was not acknowledged. */
  async function sendUntil(isOver: () => boolean, through: { readonly url: string }, isRepeated: boolean) {
    const { owner, bots, room } = await channelFixture({ bots: 1, portal })
    const stream = await Stream.of(through, bots[0])
    const acknowledged: string[] = []
    const send = async (text: string): Promise<void> => {
      const headers = { 'idempotency-key': randomUUID() }
      const body = { channelId: room.channelId, text }
      const person = new Person(through).known(owner.id, owner.cookie)
      for (;;) {
        const answer = await person
          .request<{ id: string }>('POST', `/rooms/${room.id}/messages`, body, headers)
          .catch(() => undefined)
        if (answer?.status === 201) return void acknowledged.push(answer.body.id)
        if (!isRepeated) expect(answer?.status).toBe(201)
        await sleep(20)
      }
    }
    const sending = Array.from({ length: 3 }, async (_, who) => {
      for (let count = 0; !isOver() || count < 10; count += 1) await send(`${who} ${count}`)
    })
    const sent = Promise.all(sending)
    /** Everything was sent and received once and in order. */
    const expectNothingLost = async (): Promise<void> => {
      await sent
      const { rows } = await portal.server.services.database.pool.query<{ id: string }>(
        'SELECT id FROM messages WHERE room_id = $1 ORDER BY id',
        [room.id],
      )
      const written = rows.map(({ id }) => id)
      expect(new Set(acknowledged).difference(new Set(written))).toEqual(new Set())
      expect(written).toHaveLength(acknowledged.length)
      const received = () =>
        stream.received.map(({ envelope }) => (envelope.data as { message: { id: string } }).message.id)
      await eventually(received).toEqual(written)
    }
    return { acknowledged, expectNothingLost, sent }
  }

  test('loses and reorders nothing when nodes are killed under load', async () => {
    let isOver = false
    const startNode = () => startPortico({ ...cluster.settings, RATE_LIMIT_FACTOR: '1000' })
    let nodes = await Promise.all([startNode(), startNode()])
    const balancer = await startBalancer(() => nodes.map(({ url }) => url))
    const { acknowledged, expectNothingLost } = await sendUntil(() => isOver, balancer, true)
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = acknowledged.length
      await eventually(() => acknowledged.length).toBeGreaterThan(before + 20)
      await nodes[0].stop('SIGKILL')
      nodes = [nodes[1], await startNode()]
    }
    isOver = true
    await expectNothingLost()
  })

  test.each(['SIGSTOP', 'SIGKILL'] as const)('goes on sending and delivering after %s of Redis', async (signal) => {
    let isOver = false
    const { redis, nodes } = cluster
    const balancer = await startBalancer(() => nodes.map(({ url }) => url))
    const { acknowledged, expectNothingLost } = await sendUntil(() => isOver, balancer, false)
    await eventually(() => acknowledged.length).toBeGreaterThan(10)
    redis.signal(signal)
    await eventually(() => nodes.every(({ services }) => services.redis?.isReady === false)).toBe(true)
    const without = acknowledged.length
    await eventually(() => acknowledged.length).toBeGreaterThan(without + 20)
    if (signal === 'SIGSTOP') redis.signal('SIGCONT')
    else await redis.startAgain()
    await eventually(() => nodes.every(({ services }) => services.redis?.isReady === true)).toBe(true)
    const again = acknowledged.length
    await eventually(() => acknowledged.length).toBeGreaterThan(again + 20)
    isOver = true
    await expectNothingLost()
  })

  test('accepts a key nowhere after the answer to its re-issue, however it is hammered', async () => {
    const { bots } = await channelFixture({ bots: 1, portal })
    const [bot] = bots
    const former = bot.key
    const accepted: number[] = []
    let refused = 0
    const hammering = cluster.nodes.flatMap(({ url }) =>
      Array.from({ length: 4 }, async () => {
        while (refused < 100) {
          const start = performance.now()
          const { status } = await fetch(`${url}/api/v1/me`, { headers: { authorization: `Bot ${former}` } })
          if (status === 200) accepted.push(start)
          if (status === 401) refused += 1
        }
      }),
    )
    await eventually(() => accepted.length).toBeGreaterThan(20)
    await bot.reissue()
    const answeredAt = performance.now()
    await Promise.all(hammering)
    expect(accepted.filter((start) => start > answeredAt)).toEqual([])
  })
})
