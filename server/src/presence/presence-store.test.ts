import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { once } from 'node:events'
import { describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../test/eventually.ts'
import { freePort } from '../../test/free-port.ts'
import { redisProgram, RedisServer } from '../../test/redis.ts'
import { silentLog } from '../../test/silent-log.ts'
import { Redis } from '../redis/redis.ts'
import { PresenceStore, slotOf, topicOf } from './presence-store.ts'

async function startServer(): Promise<string> {
  const server = await RedisServer.start()
  onTestFinished(() => server.kill())
  return server.url
}

/** A Redis Cluster of one server, which refuses scripts with keys of several slots like any other. */
async function startRedisCluster(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-redis-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const busPort = String(await freePort())
  const server = await RedisServer.start('--cluster-enabled', 'yes', '--cluster-port', busPort, '--dir', folder)
  onTestFinished(() => server.kill())
  const socket = connect(server.port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  const ask = async (command: string): Promise<string> => {
    socket.write(`${command}\r\n`)
    const [answer] = (await once(socket, 'data')) as [Buffer]
    return answer.toString()
  }
  expect(await ask('CLUSTER ADDSLOTSRANGE 0 16383')).toBe('+OK\r\n')
  await eventually(() => ask('CLUSTER INFO')).toContain('cluster_state:ok')
  return server.url.replace('redis://', 'redis+cluster://')
}

describe.skipIf(redisProgram === undefined)('PresenceStore', () => {
  test.each([
    { kind: 'a server', start: startServer },
    { kind: 'a Redis Cluster', start: startRedisCluster },
  ])('writes, publishes and reads by channel in $kind, without nodes that are dead', async ({ start }) => {
    const redis = await Redis.open(await start(), { portal: randomUUID(), log: silentLog })
    onTestFinished(() => redis.close())
    const store = new PresenceStore(redis)
    const channelIds = Array.from({ length: 40 }, () => randomUUID())
    const received: string[] = []
    const subscriptions = await Promise.all(
      channelIds.map((channelId) => redis.subscribe(topicOf(channelId), () => received.push(channelId))),
    )
    for (const channelId of channelIds) {
      const slot = slotOf(channelId)
      expect((await store.beat(slot, 'alive')).alive).toEqual(new Set(['alive']))
      await store.write('alive', [{ channelId, online: ['ada', 'bob', 'eve'], offline: [], left: [] }])
      await store.write('alive', [{ channelId, online: [], offline: ['bob'], left: ['eve'] }])
      await store.write('dead', [{ channelId, online: ['max'], offline: [], left: [] }])
      expect(await store.read(slot, [channelId])).toEqual(
        new Map([[channelId, new Map([['alive', new Set(['ada'])]])]]),
      )
      expect((await store.beat(slot, 'alive')).wasAlive).toBe(true)
    }
    const all = channelIds.flatMap((channelId) => [channelId, channelId, channelId])
    await eventually(() => received).toEqual(all)

    for (const unsubscribe of subscriptions) unsubscribe()
    const [first = ''] = channelIds
    await eventually(async () => {
      const before = received.length
      await store.write('alive', [{ channelId: first, online: ['ada'], offline: [], left: [] }])
      await redis.roundTrip()
      return received.length - before
    }).toBe(0)
    await store.signOff(slotOf(first), 'alive')
    expect((await store.beat(slotOf(first), 'other')).alive).toEqual(new Set(['other']))
    expect(await store.read(slotOf(first), [first])).toEqual(new Map([[first, new Map()]]))
  })
})
