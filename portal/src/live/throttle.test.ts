import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Throttle } from './throttle.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('work that is requested often runs at once, and once more at the end of each pause', () => {
  const throttle = new Throttle(500)
  const work = vi.fn()
  for (let count = 0; count < 100; count += 1) throttle.run('rooms', work)
  expect(work).toHaveBeenCalledTimes(1)
  vi.advanceTimersByTime(500)
  expect(work).toHaveBeenCalledTimes(2)
  vi.advanceTimersByTime(5000)
  expect(work).toHaveBeenCalledTimes(2)
})

test('work of another kind does not wait, and nothing runs after the end', () => {
  const throttle = new Throttle(500)
  const [rooms, members] = [vi.fn(), vi.fn()]
  throttle.run('rooms', rooms)
  throttle.run('rooms', rooms)
  throttle.run('members', members)
  expect([rooms, members].map((work) => work.mock.calls.length)).toEqual([1, 1])
  throttle.stop()
  vi.advanceTimersByTime(5000)
  expect(rooms).toHaveBeenCalledTimes(1)
})
