import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { watchLoad } from './load-watch.ts'

/** In milliseconds. */
const SAMPLE = 5000

describe('watchLoad', () => {
  let cpu = 0
  beforeEach(() => {
    vi.useFakeTimers()
    cpu = 0
    vi.spyOn(process, 'threadCpuUsage').mockImplementation(() => ({ user: cpu * 600, system: cpu * 400 }))
  })
  afterEach(() => {
    vi.restoreAllMocks()
    vi.useRealTimers()
  })

  /** Uses this share of a core for some samples. */
  function work(load: number, samples: number): void {
    for (let index = 0; index < samples; index += 1) {
      cpu += load * SAMPLE
      vi.advanceTimersByTime(SAMPLE)
    }
  }

  function watch(): object[] {
    const warnings: object[] = []
    watchLoad((text, fields) => void warnings.push({ text, ...fields }))
    return warnings
  }

  test('warns once after half a minute near the limit', () => {
    const warnings = watch()
    work(0.75, 5)
    expect(warnings).toEqual([])
    work(0.75, 20)
    expect(warnings).toEqual([{ text: 'the media server is near its limit', load: 0.75 }])
  })

  test('does not warn of peaks', () => {
    const warnings = watch()
    for (let times = 0; times < 10; times += 1) {
      work(1, 5)
      work(0.6, 1)
    }
    expect(warnings).toEqual([])
  })

  test('warns again only after the load has fallen', () => {
    const warnings = watch()
    work(0.9, 6)
    work(0.6, 6)
    work(0.9, 6)
    expect(warnings).toHaveLength(1)
    work(0.4, 1)
    work(0.9, 6)
    expect(warnings).toHaveLength(2)
  })
})
