import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createReplayWindow } from './replay-window.ts'

describe('createReplayWindow', () => {
  it('accepts every number once, if it is not too old', () => {
    const size = 64
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 300 })), fc.integer({ min: 0, max: 2 ** 47 }), (steps, start) => {
        const window = createReplayWindow(size)
        const accepted = new Set<number>()
        for (const index of steps.map((step) => start + step)) {
          const highest = Math.max(-1, ...accepted)
          expect(window.has(index)).toBe(accepted.has(index) || index <= highest - size)
          if (window.has(index)) continue
          window.add(index)
          accepted.add(index)
        }
      }),
    )
  })

  it('takes over from another window with all up to its highest number accepted', () => {
    const window = createReplayWindow(64, 1000)
    expect([999, 1000, 1001].map((index) => window.has(index))).toEqual([true, true, false])
    window.add(1050)
    expect([1000, 1001, 1050].map((index) => window.has(index))).toEqual([true, false, true])
  })
})
