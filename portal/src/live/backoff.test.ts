import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Backoff } from './backoff.ts'

beforeEach(() => {
  vi.useFakeTimers()
  vi.spyOn(Math, 'random').mockReturnValue(0.5)
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

describe('Backoff', () => {
  test('waits longer after each failure, ten seconds at most', () => {
    const retry = new Backoff()
    const again = vi.fn<() => void>()
    for (const pause of [1000, 2000, 5000, 10_000, 10_000]) {
      retry.later(again)
      vi.advanceTimersByTime(pause - 1)
      expect(again).not.toHaveBeenCalled()
      vi.advanceTimersByTime(1)
      expect(again).toHaveBeenCalledOnce()
      again.mockClear()
    }
  })

  test('retries once, however often the same failure is reported', () => {
    const retry = new Backoff()
    const again = vi.fn<() => void>()
    retry.later(again)
    retry.later(again)
    vi.advanceTimersByTime(60_000)
    expect(again).toHaveBeenCalledOnce()
  })

  test('starts over after a success', () => {
    const retry = new Backoff()
    const again = vi.fn<() => void>()
    for (let failure = 0; failure < 5; failure += 1) retry.later(again)
    retry.forget()
    vi.advanceTimersByTime(60_000)
    expect(again).not.toHaveBeenCalled()
    retry.later(again)
    vi.advanceTimersByTime(1000)
    expect(again).toHaveBeenCalledOnce()
  })
})
