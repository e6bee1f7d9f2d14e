import { randomUUID } from 'node:crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../test/eventually.ts'
import { freePort } from '../../test/free-port.ts'
import { redisProgram, RedisServer } from '../../test/redis.ts'
import { silentLog } from '../../test/silent-log.ts'
import { Redis, RedisUnavailable, script } from './redis.ts'

const COUNT = script(`return redis.call('INCRBY', KEYS[1], ARGV[1])`)

async function startRedis(): Promise<RedisServer> {
  const server = await RedisServer.start()
  onTestFinished(() => server.kill())
  return server
}

async function open({ url }: { readonly url: string }, portal: string = randomUUID()): Promise<Redis> {
  const redis = await Redis.open(url, { portal, log: silentLog })
  onTestFinished(() => redis.close())
  return redis
}

test('Redis names the address where there is none', async () => {
  const url = `redis://127.0.0.1:${await freePort()}`
  await expect(Redis.open(url, { portal: 'p', log: silentLog })).rejects.toThrow(`at ${url.slice('redis://'.length)}`)
})

describe.skipIf(redisProgram === undefined)('Redis', () => {
  test('runs scripts, and again after the server has lost them', async () => {
    const redis = await open(await startRedis())
    expect(await redis.run(COUNT, ['count'], ['2'])).toBe(2)
    expect(await redis.run(COUNT, ['count'], ['3'])).toBe(5)
    await redis.run(script(`return redis.call('SCRIPT', 'FLUSH')`), [], []).catch(() => undefined)
    expect(await redis.run(COUNT, ['count'], ['1'])).toBe(6)
  })

  test('carries messages between the nodes of one portal only', async () => {
    const server = await startRedis()
    const [one, other, foreign] = [await open(server, 'a'), await open(server, 'a'), await open(server, 'b')]
    const heard: string[] = []
    await other.subscribe('news', (message) => heard.push(`other ${message}`))
    await foreign.subscribe('news', (message) => heard.push(`foreign ${message}`))
    await one.publish('news', 'first')
    await foreign.publish('news', 'second')
    await eventually(() => heard).toEqual(['other first', 'foreign second'])
  })

  test.each(['SIGSTOP', 'SIGKILL'] as const)(
    'is unavailable after %s, and returns with its subscriptions',
    async (signal) => {
      const server = await startRedis()
      const redis = await open(server)
      const heard: string[] = []
      const changes: boolean[] = []
      await redis.subscribe('news', (message) => heard.push(message))
      redis.onChange((isReady) => changes.push(isReady))
      server.signal(signal)
      await expect(redis.run(COUNT, ['count'], ['1'])).rejects.toThrow(RedisUnavailable)
      await eventually(() => changes).toEqual([false])
      expect(redis.isReady).toBe(false)
      await expect(redis.publish('news', 'lost')).rejects.toThrow(RedisUnavailable)

      if (signal === 'SIGSTOP') server.signal('SIGCONT')
      else await server.startAgain()
      await eventually(() => redis.isReady).toBe(true)
      await redis.publish('news', 'again')
      await eventually(() => heard).toEqual(['again'])
      expect(changes.at(-1)).toBe(true)
    },
  )

  test('begins a subscription when it is back, and says so', async () => {
    const server = await startRedis()
    const redis = await open(server)
    await server.kill()
    await eventually(() => redis.isReady).toBe(false)
    const heard: string[] = []
    await redis.subscribe('news', (message) => heard.push(message))
    let isSaid = false
    redis.onChange((isReady) => (isSaid ||= isReady))
    await server.startAgain()
    await eventually(() => redis.isReady && isSaid).toBe(true)
    await eventually(async () => {
      await redis.publish('news', 'again').catch(() => undefined)
      return heard.length
    }).toBeGreaterThan(0)
  })
})
