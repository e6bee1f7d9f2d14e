import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createPathChoice, type Path, type PathChoice } from './path-choice.ts'

const createPath = () => ({ send: vi.fn<Path['send']>(), close: vi.fn<Path['close']>() })
const check = (paths: PathChoice, path: Path, useCandidate: boolean) =>
  paths.checked(path, { ufrag: 'ours', useCandidate })

describe('createPathChoice', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('begins with the first path and moves to a nominated one', () => {
    const paths = createPathChoice()
    const [first, second] = [createPath(), createPath()]
    expect(paths.nominated).toBeUndefined()
    check(paths, first, false)
    check(paths, second, false)
    expect(paths.nominated).toBe(first)
    check(paths, second, true)
    expect(paths.nominated).toBe(second)
    check(paths, first, false)
    expect(paths.nominated).toBe(second)
  })

  it('moves without a nomination when the nominated path is silent', () => {
    const paths = createPathChoice()
    const [first, second] = [createPath(), createPath()]
    check(paths, first, true)
    vi.advanceTimersByTime(6000)
    check(paths, second, false)
    expect(paths.nominated).toBe(first)
    vi.advanceTimersByTime(2000)
    check(paths, second, false)
    expect(paths.nominated).toBe(second)
  })

  it('goes on with the path checked last when the nominated one is lost', () => {
    const paths = createPathChoice()
    const [first, second, third] = [createPath(), createPath(), createPath()]
    for (const path of [first, third, second]) {
      check(paths, path, path === first)
      vi.advanceTimersByTime(1)
    }
    paths.lost(first)
    expect(paths.nominated).toBe(second)
    paths.lost(third)
    paths.lost(second)
    expect(paths.nominated).toBeUndefined()
  })

  it('keeps a limited number of paths, and always the nominated one', () => {
    const paths = createPathChoice()
    const all = Array.from({ length: 30 }, createPath)
    for (const path of all) {
      check(paths, path, path === all[0])
      vi.advanceTimersByTime(1)
    }
    const closed = all.filter(({ close }) => close.mock.calls.length > 0)
    expect(closed).toHaveLength(14)
    expect(closed).not.toContain(all[0])
    expect(paths.nominated).toBe(all[0])
  })

  it('selects a path once it is nominated and has answered', () => {
    const paths = createPathChoice()
    const [first, second] = [createPath(), createPath()]
    check(paths, first, true)
    expect(paths.selected).toBeUndefined()
    paths.answered(first)
    expect(paths.selected).toBe(first)
    check(paths, second, true)
    expect(paths.selected).toBe(first)
    paths.answered(second)
    expect(paths.selected).toBe(second)
    paths.lost(second)
    expect(paths.selected).toBe(first)
  })

  it('selects no path that has not answered for 30 seconds', () => {
    const paths = createPathChoice()
    const [first, second] = [createPath(), createPath()]
    check(paths, first, true)
    paths.answered(first)
    vi.advanceTimersByTime(29_000)
    paths.expire()
    expect(paths.selected).toBe(first)
    vi.advanceTimersByTime(2000)
    check(paths, second, true)
    paths.expire()
    expect(paths.selected).toBeUndefined()
    paths.answered(first)
    expect(paths.selected).toBeUndefined()
    paths.answered(second)
    expect(paths.selected).toBe(second)
  })
})
