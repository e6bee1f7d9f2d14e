import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { expectWithinLimit, type AcceptedRequest } from '../../test/accepted-requests.ts'
import { testDatabase } from '../../test/database.ts'
import { eventually } from '../../test/eventually.ts'
import { atFileEnd, oncePerFile } from '../../test/file-end.ts'
import { redisProgram, RedisServer } from '../../test/redis.ts'
import { silentLog } from '../../test/silent-log.ts'
import { openDatabase } from '../db/open-database.ts'
import { Redis } from '../redis/redis.ts'
import type { Quotas } from './quotas.ts'
import { RedisQuotas } from './redis-quotas.ts'
import { WindowQuotas } from './window-quotas.ts'

/** Quotas with windows of `length` milliseconds, and their clock. */
interface Fixture {
  readonly quotas: Quotas
  readonly length: number
  now(): number
  pass(milliseconds: number): Promise<void>
}

interface Implementation {
  readonly name: string
  readonly isPresent: boolean
  /** How often a property is tried: real time passes slowly. */
  readonly numRuns: number
  readonly create: () => Promise<Fixture>
  /** Windows that stay full for as long as a test takes. */
  readonly createLong: () => Promise<Fixture>
}

async function inMemory(): Promise<Fixture> {
  let microseconds = 0
  const now = () => microseconds / 1000
  const quotas = new WindowQuotas({
    store: { load: async () => ({ windows: [], isComplete: true }), save: async () => {}, complete: async () => {} },
    lease: { isHeld: true, whenHeld: async () => true },
    log: silentLog,
    clock: now,
  })
  await quotas.start()
  return {
    quotas,
    length: 60_000,
    now,
    pass: async (milliseconds) => void (microseconds += Math.ceil(milliseconds * 1000)),
  }
}

async function inRedis(length: number): Promise<Fixture> {
  const server = await RedisServer.start()
  atFileEnd(() => server.kill())
  const redis = await Redis.open(server.url, { portal: randomUUID(), log: silentLog })
  atFileEnd(() => redis.close())
  const { url } = await testDatabase()
  const database = await openDatabase({ url, log: silentLog })
  atFileEnd(() => database.close())
  const quotas = new RedisQuotas({ pool: database.pool, redis, id: randomUUID(), log: silentLog, length })
  await quotas.start()
  atFileEnd(() => quotas.stop())
  return { quotas, length, now: () => performance.now(), pass: (milliseconds) => sleep(milliseconds) }
}

const implementations: readonly Implementation[] = [
  { name: 'WindowQuotas', isPresent: true, numRuns: 200, create: inMemory, createLong: inMemory },
  {
    name: 'RedisQuotas',
    isPresent: redisProgram !== undefined,
    numRuns: 10,
    create: oncePerFile(() => inRedis(200)),
    createLong: oncePerFile(() => inRedis(60_000)),
  },
]

/** As a share of the window. */
const pauses = fc.oneof(
  fc.constant(0),
  fc.double({ min: 0, max: 0.01, noNaN: true }),
  fc.double({ min: 0, max: 1.2, noNaN: true }),
)

for (const { name, isPresent, numRuns, create, createLong } of implementations) {
  describe.skipIf(!isPresent)(name, () => {
    test('never accepts more than the limit of a subject in any window', async () => {
      const steps = fc.array(fc.record({ pause: pauses, requests: fc.integer({ min: 1, max: 12 }) }), { maxLength: 12 })
      await fc.assert(
        fc.asyncProperty(steps, fc.integer({ min: 1, max: 8 }), async (taken, limit) => {
          const { quotas, length, now, pass } = await create()
          const subject = `requests ${randomUUID()}`
          const accepted: AcceptedRequest[] = []
          const send = async (): Promise<void> => {
            const sent = now()
            if ('giveBack' in (await quotas.take(subject, limit))) accepted.push({ sent, answered: now() })
          }
          for (const { pause, requests } of taken) {
            await pass(pause * length)
            await Promise.all(Array.from({ length: requests }, send))
          }
          expectWithinLimit(accepted, limit, length)
        }),
        { numRuns },
      )
    })

    test('never refuses a client that sends only while quota remains', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(pauses, { maxLength: 12 }), fc.integer({ min: 1, max: 5 }), async (steps, limit) => {
          const { quotas, length, pass } = await create()
          const subject = `requests ${randomUUID()}`
          let left = limit
          for (const pause of steps) {
            await pass(left === 0 ? length + 1 : pause * length)
            const taken = await quotas.take(subject, limit)
            if (!('giveBack' in taken)) throw new Error('refused although quota remained')
            left = taken.remaining
          }
        }),
        { numRuns },
      )
    })

    test('accepts a client that has waited for retryAfterSec', async () => {
      const limits = fc.integer({ min: 1, max: 5 })
      await fc.assert(
        fc.asyncProperty(limits, fc.array(pauses, { maxLength: 4 }), async (limit, steps) => {
          const { quotas, length, pass } = await create()
          const subject = `requests ${randomUUID()}`
          for (const pause of steps) {
            await pass(pause * length)
            const taken = await quotas.take(subject, limit)
            if ('giveBack' in taken) continue
            expect(Number.isInteger(taken.retryAfterSec)).toBe(true)
            expect(taken.retryAfterSec).toBeGreaterThanOrEqual(1)
            expect(taken.retryAfterSec).toBeLessThanOrEqual(Math.ceil(length / 1000))
            await pass(taken.retryAfterSec * 1000)
            expect(await quotas.take(subject, limit)).toHaveProperty('giveBack')
          }
        }),
        { numRuns },
      )
    })

    test('tells each of many simultaneous requests another remaining number, and refuses the rest', async () => {
      const { quotas } = await createLong()
      const subject = `requests ${randomUUID()}`
      expect(await quotas.freeing(subject)).toEqual([])
      const taken = await Promise.all(Array.from({ length: 50 }, () => quotas.take(subject, 20)))
      const left = taken.flatMap((one) => ('giveBack' in one ? [one.remaining] : []))
      expect(left.toSorted((one, other) => other - one)).toEqual(Array.from({ length: 20 }, (_, n) => 19 - n))
      expect(await quotas.remaining(subject, 20)).toBe(0)
      const freeing = await quotas.freeing(subject)
      expect(freeing.reduce((sum, places) => sum + places, 0)).toBe(20)
    })

    test('frees a place that is given back', async () => {
      const { quotas } = await createLong()
      const subject = `writes ${randomUUID()}`
      const taken = await quotas.take(subject, 2)
      await quotas.take(subject, 2)
      expect(await quotas.take(subject, 2)).toHaveProperty('retryAfterSec')
      if (!('giveBack' in taken)) throw new Error('refused')
      taken.giveBack()
      await eventually(() => quotas.remaining(subject, 2)).toBe(1)
      expect(await quotas.take(subject, 2)).toMatchObject({ remaining: 0 })
      expect(await quotas.take(subject, 2)).toHaveProperty('retryAfterSec')
    })
  })
}
