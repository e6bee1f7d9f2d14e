import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { Pool } from 'pg'
import { expect, onTestFinished, test, vi } from 'vitest'
import { batchReads, batchResults } from './batch.ts'

const pool = new Pool()

test('batchReads combines concurrent reads, with one statement at a time', async () => {
  const statements: string[][] = []
  let underWay = 0
  let most = 0
  const read = batchReads<string>(async (_pool, keys) => {
    statements.push([...keys])
    underWay += 1
    most = Math.max(most, underWay)
    await sleep(50)
    underWay -= 1
    return new Map(keys.filter((key) => key !== 'nobody').map((key) => [key, `row of ${key}`]))
  })
  const ask = (...keys: string[]) => Promise.all(keys.map((key) => read(pool, key)))
  const first = ask('a', 'b', 'b', 'nobody')
  await expect.poll(() => statements.length).toBeGreaterThan(0)
  const second = ask('c', 'a')
  expect(await first).toEqual(['row of a', 'row of b', 'row of b', undefined])
  expect(await second).toEqual(['row of c', 'row of a'])
  expect(statements).toEqual([
    ['a', 'b', 'nobody'],
    ['c', 'a'],
  ])
  expect(most).toBe(1)
})

test('batchReads never returns a value that was read before the call', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom('ask', 'write', 'wait'), { maxLength: 40 }), async (steps) => {
      let value = 0
      const read = batchReads<number>(async (_pool, keys) => {
        const seen = value
        await new Promise((resolve) => setImmediate(resolve))
        return new Map(keys.map((key) => [key, seen]))
      })
      const answers: Promise<void>[] = []
      for (const step of steps) {
        if (step === 'write') value += 1
        else if (step === 'wait') await new Promise((resolve) => setImmediate(resolve))
        else {
          const atLeast = value
          answers.push(read(pool, 'key').then((seen) => expect(seen).toBeGreaterThanOrEqual(atLeast)))
        }
      }
      await Promise.all(answers)
    }),
  )
})

test('batchReads rejects all calls of a failed statement and continues with the next', async () => {
  let broken = true
  const read = batchReads<string>(async (_pool, keys) => {
    await new Promise((resolve) => setImmediate(resolve))
    if (broken) throw new Error('no database')
    return new Map(keys.map((key) => [key, key]))
  })
  const outcomes = await Promise.allSettled(['a', 'b', 'c'].map((key) => read(pool, key)))
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  broken = false
  expect(await read(pool, 'a')).toBe('a')
})

test('batchResults runs items together that arrive within the time to gather', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const batches: string[][] = []
  const echo = async (items: readonly string[]): Promise<string[]> => {
    batches.push([...items])
    return [...items]
  }
  const gathered = batchResults(10, echo, 100)
  const first = gathered('a')
  await new Promise((resolve) => setImmediate(resolve))
  await vi.advanceTimersByTimeAsync(99)
  expect(batches).toEqual([])
  const second = gathered('b')
  await vi.advanceTimersByTimeAsync(1)
  expect(await Promise.all([first, second])).toEqual(['a', 'b'])
  expect(batches).toEqual([['a', 'b']])
})
