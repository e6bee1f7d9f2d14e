import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { memberJoined, messageCreated, type OwnChannel, type Room } from '@portico/contract'
import { describe, expect, onTestFinished, test } from 'vitest'
import { channelFixture, expectOk } from '../../test/channel-fixture.ts'
import { reader, writer } from '../../test/event-log-fixture.ts'
import { eventually } from '../../test/eventually.ts'
import { newAdministrator } from '../../test/new-person.ts'
import { OpenPortal } from '../../test/open-portal.ts'
import { redisProgram, RedisServer } from '../../test/redis.ts'
import { silentLog } from '../../test/silent-log.ts'
import { startCluster } from '../../test/start-cluster.ts'
import { testDatabase } from '../../test/database.ts'
import { Redis } from '../redis/redis.ts'

/** How often channels are followed and left; for a thorough run, set more. */
const ROUNDS = Number(process.env['PORTICO_TEST_ROUNDS'] ?? 40)

/** A node that reads a log, and the messages that Redis sends it. Between two of them it does everything else, if they are slow. */
async function node(url: string, server: RedisServer, { isSlow = false } = {}) {
  const redis = await Redis.open(server.url, { portal: 'followed', log: silentLog })
  onTestFinished(() => redis.close())
  const arrived: string[] = []
  const connection = { isDead: false }
  let arriving = Promise.resolve()
  const subscribe = redis.subscribe.bind(redis)
  redis.subscribe = (channel, listener) =>
    subscribe(channel, (message) => {
      if (connection.isDead) return
      arrived.push(message)
      if (isSlow) arriving = arriving.then(() => sleep(30)).then(() => listener(message))
      else listener(message)
    })
  return { ...(await reader(url, redis, 0)), redis, arrived, connection }
}

async function startNodes() {
  const server = await RedisServer.start()
  onTestFinished(() => server.kill())
  const { url } = await testDatabase()
  return { server, url }
}

describe.skipIf(redisProgram === undefined)('the channels that a node follows', { timeout: 300_000 }, () => {
  test('are the only ones whose events Redis sends it', async () => {
    const { server, url } = await startNodes()
    const [one, other] = [await node(url, server), await node(url, server)]
    const [followed, unfollowed] = [randomUUID(), randomUUID()]
    await other.log.follow([followed])
    const quiet = await writer(url, { channelId: followed })
    const busy = await writer(url, { channelId: unfollowed })
    for (let count = 0; count < 50; count += 1) {
      const written = await busy.write(`unfollowed ${count}`)
      await busy.commit()
      one.log.wake(written)
    }
    const written = await quiet.write('followed')
    await quiet.commit()
    one.log.wake(written)
    await eventually(() => [one.log.top, other.log.top]).toEqual([51, 51])
    // It may have read others from the database, if the machine was too busy to receive messages in time.
    expect(other.subjects()).toContain('followed')
    expect(other.arrived.filter((message) => message.includes('subject'))).toHaveLength(1)
  })

  test('are in order even if the messages of one publication arrive one by one', async () => {
    const { server, url } = await startNodes()
    const [one, other] = [await node(url, server), await node(url, server, { isSlow: true })]
    const channelIds = [randomUUID(), randomUUID(), randomUUID()]
    await other.log.follow(channelIds)
    const writers = await Promise.all(channelIds.map((channelId) => writer(url, { channelId })))
    const sent: string[] = []
    for (let round = 0; round < 10; round += 1) {
      const written = []
      for (const [who, { write, commit }] of writers.entries()) {
        written.push(...(await write(`${round} ${who}`)))
        await commit()
        sent.push(`${round} ${who}`)
      }
      // The first message is that of the last channel.
      one.log.wake(written.toReversed())
    }
    await eventually(other.subjects).toEqual(sent)
  })

  test('are read from the database when the connection of the messages is dead and nothing says so', async () => {
    const { server, url } = await startNodes()
    const [one, other] = [await node(url, server), await node(url, server)]
    const channelId = randomUUID()
    await other.log.follow([channelId])
    const { write, commit } = await writer(url, { channelId })
    const say = async (subject: string): Promise<void> => {
      const written = await write(subject)
      await commit()
      one.log.wake(written)
    }
    await say('first')
    await eventually(other.subjects).toEqual(['first'])
    other.connection.isDead = true
    await say('second')
    await eventually(other.subjects).toEqual(['first', 'second'])
    other.connection.isDead = false
    await say('third')
    await eventually(other.subjects).toEqual(['first', 'second', 'third'])
  })

  test('miss nothing, and repeat nothing, however often they are followed and left while Redis is killed', async () => {
    const { server, url } = await startNodes()
    const [one, other] = [await node(url, server), await node(url, server)]
    const channelIds = Array.from({ length: 5 }, () => randomUUID())
    const received: { seq: number; channelId: string }[] = []
    other.log.listen((events) => void received.push(...events))
    const over = new AbortController()
    const writing = Promise.all(
      channelIds.map(async (channelId, who) => {
        const { write, commit, rollBack } = await writer(url, { channelId })
        const { log } = who % 2 === 0 ? one : other
        while (!over.signal.aborted) {
          const written = await write(`${who}`)
          if (Math.random() < 0.2) await sleep(Math.random() * 20)
          if (Math.random() < 0.1) await rollBack()
          else {
            await commit()
            // Now and then a node dies before it publishes.
            if (Math.random() < 0.95) log.wake(written)
          }
        }
      }),
    )
    const spans: { channelId: string; after: number; upTo: number }[] = []
    const killing = (async () => {
      while (spans.length < 2 * ROUNDS) {
        const before = spans.length
        await eventually(() => spans.length).toBeGreaterThan(before + 20)
        await server.kill()
        await sleep(randomInt(500))
        await server.startAgain()
      }
    })()
    const following = channelIds.slice(0, 2).map(async (channelId) => {
      while (spans.length < 2 * ROUNDS + 30) {
        await other.log.passes(await other.log.follow([channelId]))
        const after = other.log.top
        // Long enough for some events, and now and then for none.
        await sleep(randomInt(60))
        spans.push({ channelId, after, upTo: other.log.top })
        other.log.leave([channelId])
        await sleep(randomInt(20))
      }
    })
    await Promise.all([...following, killing])
    over.abort()
    await writing
    const { rows } = await other.pool.query<{ seq: number; channelId: string }>(
      'SELECT seq, channel_id AS "channelId" FROM events ORDER BY seq',
    )
    const last = rows.at(-1)?.seq ?? 0
    await eventually(() => [one.log.top, other.log.top]).toEqual([last, last])
    const seqs = received.map(({ seq }) => seq)
    expect(seqs).toEqual([...new Set(seqs)].toSorted((a, b) => a - b))
    for (const { channelId, after, upTo } of spans) {
      const within = (events: typeof rows): number[] =>
        events.flatMap((event) =>
          event.channelId === channelId && event.seq > after && event.seq <= upTo ? [event.seq] : [],
        )
      expect(within(received)).toEqual(within(rows))
    }
    expect(spans.filter(({ after, upTo }) => upTo > after).length).toBeGreaterThan(ROUNDS / 2)
  })

  test('include one that someone joins while messages are sent there, from that moment on', async () => {
    const { nodes } = await startCluster(2)
    const [server, second] = nodes
    const administrator = await newAdministrator(server)
    const { owner, newPerson } = await channelFixture({ portal: { server, administrator } })
    for (let round = 0; round < Math.ceil(ROUNDS / 4); round += 1) {
      const channel = expectOk(await owner.post<OwnChannel>('/channels', { name: `Ateliers ${round}`, open: true }))
      const at = `/channels/${channel.id}`
      const room = expectOk(await owner.post<Room>(`${at}/rooms`, { name: 'workshop', type: 'text' }))
      const person = await newPerson()
      const open = await OpenPortal.of(second, person)
      const joining = { isDone: false }
      const sending = Array.from({ length: 4 }, async (_, who) => {
        for (let rest = 5; rest > 0; rest -= joining.isDone ? 1 : 0) {
          const message = { channelId: channel.id, text: `from ${who}` }
          expectOk(await owner.post(`/rooms/${room.id}/messages`, message))
        }
      })
      await sleep(randomInt(20))
      expectOk(await person.post(`${at}/join`))
      joining.isDone = true
      await Promise.all(sending)
      const { rows } = await server.services.database.pool.query<{ id: string }>(
        `SELECT body::json -> 'data' -> 'message' ->> 'id' AS id FROM events
        WHERE channel_id = $1 AND event = $2 AND seq > (SELECT max(seq) FROM events WHERE channel_id = $1 AND event = $3)
        ORDER BY seq`,
        [channel.id, messageCreated.event, memberJoined.event],
      )
      const received = () => open.eventsOf(messageCreated).map(({ data }) => data.message.id)
      await eventually(received).toEqual(rows.map(({ id }) => id))
      expect(open.kinds[0]).toBe(memberJoined.event)
      expect(rows.length).toBeGreaterThanOrEqual(16)
      open.close()
    }
  })
})
