import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createPathChoice, type Path } from './path-choice.ts'

const createPath = () => ({ send: vi.fn<Path['send']>(), close: vi.fn<Path['close']>() })

describe('createPathChoice', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('begins with the first path and moves to a nominated one', () => {
    const paths = createPathChoice()
    const [first, second] = [createPath(), createPath()]
    expect(paths.selected).toBeUndefined()
    paths.checked(first, false)
    paths.checked(second, false)
    expect(paths.selected).toBe(first)
    paths.checked(second, true)
    expect(paths.selected).toBe(second)
    paths.checked(first, false)
    expect(paths.selected).toBe(second)
  })

  it('moves without a nomination when the selected path is silent', () => {
    const paths = createPathChoice()
    const [first, second] = [createPath(), createPath()]
    paths.checked(first, true)
    vi.advanceTimersByTime(6000)
    paths.checked(second, false)
    expect(paths.selected).toBe(first)
    vi.advanceTimersByTime(2000)
    paths.checked(second, false)
    expect(paths.selected).toBe(second)
  })

  it('goes on with the path checked last when the selected one is lost', () => {
    const paths = createPathChoice()
    const [first, second, third] = [createPath(), createPath(), createPath()]
    for (const path of [first, third, second]) {
      paths.checked(path, path === first)
      vi.advanceTimersByTime(1)
    }
    paths.lost(first)
    expect(paths.selected).toBe(second)
    paths.lost(third)
    paths.lost(second)
    expect(paths.selected).toBeUndefined()
  })

  it('keeps a limited number of paths, and always the selected one', () => {
    const paths = createPathChoice()
    const all = Array.from({ length: 30 }, createPath)
    for (const path of all) {
      paths.checked(path, path === all[0])
      vi.advanceTimersByTime(1)
    }
    const closed = all.filter(({ close }) => close.mock.calls.length > 0)
    expect(closed).toHaveLength(14)
    expect(closed).not.toContain(all[0])
    expect(paths.selected).toBe(all[0])
  })
})
