import { expect, onTestFinished, test, vi } from 'vitest'
import { Semaphore } from './semaphore.ts'

test('a semaphore runs a few calls concurrently, queues some in order and refuses the rest', async () => {
  const semaphore = new Semaphore({ atOnce: 2, queueLength: 3 })
  const started: number[] = []
  const gates = Array.from({ length: 6 }, () => Promise.withResolvers<void>())
  const runs = gates.map(({ promise }, number) =>
    semaphore.run(async () => {
      started.push(number)
      await promise
      if (number === 0) throw new Error('failed')
      return number
    }),
  )
  const results = Promise.allSettled(runs)
  await expect(runs[5]).rejects.toMatchObject({ status: 429, details: { retryAfterSec: 5 } })
  expect(started).toEqual([0, 1])
  gates[0]?.resolve()
  await expect(runs[0]).rejects.toThrow('failed')
  expect(started).toEqual([0, 1, 2])
  for (const { resolve } of gates) resolve()
  expect((await results).map(({ status }) => status)).toEqual([
    'rejected',
    ...Array.from({ length: 4 }, () => 'fulfilled'),
    'rejected',
  ])
  expect(started).toEqual([0, 1, 2, 3, 4])
  expect(await semaphore.run(async () => 'free again')).toBe('free again')
})

test('a semaphore refuses a call whose turn comes too late, and never runs it', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const semaphore = new Semaphore({ atOnce: 1, queueLength: 3 })
  const gate = Promise.withResolvers<void>()
  const running = semaphore.run(() => gate.promise)
  const work = vi.fn(async () => {})
  const refused = expect(semaphore.run(work)).rejects.toMatchObject({ status: 429 })
  await vi.advanceTimersByTimeAsync(9000)
  await refused
  gate.resolve()
  await running
  expect(await semaphore.run(async () => 'free again')).toBe('free again')
  expect(work).not.toHaveBeenCalled()
})
