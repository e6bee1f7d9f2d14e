import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Throttle } from './throttle.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const never = (error: unknown): never => {
  throw error
}

describe('Throttle', () => {
  test('runs immediately after a quiet interval, and once more for all triggers in between', async () => {
    const work = vi.fn(async () => undefined)
    const paced = new Throttle(300, work, never)
    for (let n = 0; n < 100; n += 1) paced.trigger()
    await vi.advanceTimersByTimeAsync(0)
    expect(work).toHaveBeenCalledTimes(1)
    for (let n = 0; n < 100; n += 1) paced.trigger()
    await vi.advanceTimersByTimeAsync(299)
    expect(work).toHaveBeenCalledTimes(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(work).toHaveBeenCalledTimes(2)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(work).toHaveBeenCalledTimes(2)
  })

  test('never runs twice at the same time, and loses no trigger during a run', async () => {
    const ends: (() => void)[] = []
    const paced = new Throttle(300, () => new Promise((resolve) => ends.push(resolve)), never)
    paced.trigger()
    await vi.advanceTimersByTimeAsync(0)
    paced.trigger()
    await vi.advanceTimersByTimeAsync(5000)
    expect(ends).toHaveLength(1)
    ends[0]?.()
    await vi.advanceTimersByTimeAsync(0)
    expect(ends).toHaveLength(2)
  })

  test('continues after a failure', async () => {
    const failed = vi.fn()
    const work = vi.fn(async () => undefined).mockRejectedValueOnce(new Error('away'))
    const paced = new Throttle(300, work, failed)
    paced.trigger()
    await vi.advanceTimersByTimeAsync(0)
    expect(failed).toHaveBeenCalledExactlyOnceWith(new Error('away'))
    paced.trigger()
    await vi.advanceTimersByTimeAsync(300)
    expect(work).toHaveBeenCalledTimes(2)
  })

  test('starts nothing after stop, which waits for a run in progress', async () => {
    let end = (): void => undefined
    const work = vi.fn(() => new Promise<void>((resolve) => (end = resolve)))
    const paced = new Throttle(300, work, never)
    paced.trigger()
    await vi.advanceTimersByTimeAsync(0)
    paced.trigger()
    const stopped = vi.fn()
    void paced.stop().then(stopped)
    await vi.advanceTimersByTimeAsync(1000)
    expect(stopped).not.toHaveBeenCalled()
    end()
    await vi.advanceTimersByTimeAsync(1000)
    expect(stopped).toHaveBeenCalled()
    paced.trigger()
    await vi.advanceTimersByTimeAsync(1000)
    expect(work).toHaveBeenCalledTimes(1)
  })
})
