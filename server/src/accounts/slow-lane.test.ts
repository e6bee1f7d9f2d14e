import { describe, expect, test } from 'vitest'
import { SlowLane } from './slow-lane.ts'

describe('SlowLane', () => {
  test('lets attempts of a subject through at a pace, refuses those that would wait too long, and forgets', () => {
    let now = 0
    const lane = new SlowLane(() => now)
    const enter = () => lane.enter('school', 3000)
    expect([enter(), enter(), enter()]).toEqual([0, 3000, 6000].map((wait) => ({ wait, isAdmitted: true })))
    expect(enter()).toEqual({ wait: 3000, isAdmitted: false })
    expect(lane.enter('home', 3000)).toEqual({ wait: 0, isAdmitted: true })
    now += 3000
    expect(enter()).toEqual({ wait: 6000, isAdmitted: true })
    now += 9000
    expect(enter()).toEqual({ wait: 0, isAdmitted: true })
  })
})
