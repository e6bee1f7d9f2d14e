import { expect, test } from 'vitest'
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
