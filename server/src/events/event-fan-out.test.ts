import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, onTestFinished, test } from 'vitest'
import { testDatabase } from '../../test/database.ts'
import { reader, writer } from '../../test/event-log-fixture.ts'
import { eventually } from '../../test/eventually.ts'
import { redisProgram, RedisServer } from '../../test/redis.ts'
import { silentLog } from '../../test/silent-log.ts'
import { Redis } from '../redis/redis.ts'

/** Two nodes that read one log and follow these channels, and the Redis between them. */
async function twoNodes(...channelIds: readonly string[]) {
  const server = await RedisServer.start()
  onTestFinished(() => server.kill())
  const { url } = await testDatabase()
  const node = async () => {
    const redis = await Redis.open(server.url, { portal: 'fan-out', log: silentLog })
    onTestFinished(() => redis.close())
    const read = await reader(url, redis)
    await read.log.follow(channelIds)
    return { ...read, redis }
  }
  return { server, url, one: await node(), other: await node() }
}

describe.skipIf(redisProgram === undefined)('the event log of a cluster', () => {
  test('delivers the events of other nodes without reading them', async () => {
    const channelId = randomUUID()
    const { url, one, other } = await twoNodes(channelId)
    const { write, commit } = await writer(url, { channelId })
    // What isn't committed yet can't be read.
    one.log.wake(await write('sent'))
    await eventually(other.subjects).toEqual(['sent'])
    await commit()
  })

  test('puts events in order that arrive in another one', async () => {
    const channelId = randomUUID()
    const { url, one, other } = await twoNodes(channelId)
    const { write, commit } = await writer(url, { channelId })
    const events = []
    for (const subject of ['a', 'b', 'c', 'd']) {
      events.push(...(await write(subject)))
      await commit()
    }
    for (const event of events.toReversed()) one.log.wake([event])
    for (const { subjects } of [one, other]) await eventually(subjects).toEqual(['a', 'b', 'c', 'd'])
  })

  test('reads what was never published: of a node that died after its commit', async () => {
    const channelIds = [randomUUID(), randomUUID()] as const
    const { url, one, other } = await twoNodes(...channelIds)
    const [dead, alive] = [
      await writer(url, { channelId: channelIds[0] }),
      await writer(url, { channelId: channelIds[1] }),
    ]
    await dead.write('not published')
    await dead.commit()
    const later = await alive.write('published')
    await alive.commit()
    one.log.wake(later)
    await eventually(other.subjects).toEqual(['not published', 'published'])
    await dead.write('the last')
    await dead.commit()
    for (const { subjects } of [one, other]) {
      await eventually(subjects).toEqual(['not published', 'published', 'the last'])
    }
  })

  test('does not wait for a position that was rolled back', async () => {
    const channelId = randomUUID()
    const { url, one, other } = await twoNodes(channelId)
    const { write, commit, rollBack } = await writer(url, { channelId })
    await write('never')
    await rollBack()
    const written = await write('committed')
    await commit()
    one.log.wake(written)
    await eventually(other.subjects).toEqual(['committed'])
  })

  test('is the same on every node, however writers overlap and while Redis is restarted', async () => {
    const channelIds = Array.from({ length: 6 }, () => randomUUID())
    const { server, url, one, other } = await twoNodes(...channelIds)
    const writers = await Promise.all(
      channelIds.map(async (channelId, who) => {
        const { write, commit, rollBack } = await writer(url, { channelId })
        const { log } = who % 2 === 0 ? one : other
        return async () => {
          for (let count = 0; count < 60; count += 1) {
            const written = await write(`${who} ${count}`)
            if (Math.random() < 0.3) await sleep(Math.random() * 20)
            if (Math.random() < 0.1) await rollBack()
            else {
              await commit()
              // Now and then a message is lost.
              if (Math.random() < 0.9) log.wake(written)
            }
          }
        }
      }),
    )
    const written = Promise.all(writers.map((write) => write()))
    await eventually(() => one.received.length).toBeGreaterThan(50)
    await server.kill()
    await server.startAgain()
    await written
    const { rows } = await one.pool.query<{ seq: number }>('SELECT seq FROM events ORDER BY seq')
    for (const { received } of [one, other]) {
      await eventually(() => received.map(({ seq }) => seq)).toEqual(rows.map(({ seq }) => seq))
    }
  })

  test('reads the database rarely while Redis works, and every second without it', async () => {
    const { server, other } = await twoNodes()
    let reads = 0
    other.pool.on('acquire', () => (reads += 1))
    // A machine that is so busy that Redis seems to be away gets another chance.
    do {
      reads = 0
      await sleep(4000)
    } while (reads > 1)
    await server.kill()
    reads = 0
    await eventually(() => reads).toBeGreaterThan(2)
  })
})
