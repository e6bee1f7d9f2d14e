import { setImmediate as turn } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { FairSemaphore } from './fair-semaphore.ts'

function calls(semaphore: FairSemaphore) {
  const started: string[] = []
  const gates = new Map<string, () => void>()
  const call = (name: string): Promise<string> =>
    semaphore.run(name.slice(0, 3), async () => {
      started.push(name)
      const gate = Promise.withResolvers<void>()
      gates.set(name, gate.resolve)
      await gate.promise
      return name
    })
  const end = async (name: string, running: Promise<unknown> | undefined): Promise<void> => {
    gates.get(name)?.()
    await running
    await turn()
  }
  return { started, call, end }
}

test('a fair semaphore runs one call of each person at a time, and lets people take turns', async () => {
  const { started, call, end } = calls(new FairSemaphore({ atOnce: 2, longestWait: 9000 }))
  const ada = [1, 2, 3].map((number) => call(`ada ${number}`))
  expect(started).toEqual(['ada 1'])
  const ben = [1, 2].map((number) => call(`ben ${number}`))
  const cal = call('cal 1')
  expect(started).toEqual(['ada 1', 'ben 1'])
  await end('ada 1', ada[0])
  // Ada has had a turn and Ben is having one, so Cal is next.
  expect(started.at(-1)).toBe('cal 1')
  await end('cal 1', cal)
  expect(started.at(-1)).toBe('ada 2')
  await end('ben 1', ben[0])
  expect(started.at(-1)).toBe('ben 2')
  await end('ada 2', ada[1])
  expect(started.at(-1)).toBe('ada 3')
  await Promise.all([end('ben 2', ben[1]), end('ada 3', ada[2])])
  const dan = call('dan 1')
  expect(started.at(-1)).toBe('dan 1')
  await end('dan 1', dan)
})

test('a fair semaphore refuses a call whose turn comes too late, never runs it, and goes on after a failure', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const semaphore = new FairSemaphore({ atOnce: 1, longestWait: 9000 })
  const gate = Promise.withResolvers<void>()
  const running = semaphore.run('ada', () => gate.promise)
  const work = vi.fn(async () => {})
  const refused = expect(semaphore.run('ben', work)).rejects.toMatchObject({ status: 429 })
  await vi.advanceTimersByTimeAsync(5000)
  const later = semaphore.run('ben', async () => 'done')
  await vi.advanceTimersByTimeAsync(4000)
  await refused
  gate.reject(new Error('failed'))
  await expect(running).rejects.toThrow('failed')
  expect(await later).toBe('done')
  expect(work).not.toHaveBeenCalled()
})
