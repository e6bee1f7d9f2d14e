import { describe, expect, test } from 'vitest'
import { secondsOf } from './mute-duration.ts'

describe('secondsOf', () => {
  test('lasts until eight in the morning of the next day, by the clock of this device', () => {
    expect(secondsOf('tomorrow', new Date(2026, 0, 15, 23, 0))).toBe(9 * 3600)
    expect(secondsOf('tomorrow', new Date(2026, 0, 31, 0, 30))).toBe(31.5 * 3600)
  })

  test('has no end if the mute is to be undone by hand', () => {
    expect(secondsOf('always', new Date())).toBeUndefined()
    expect([secondsOf('hour', new Date()), secondsOf('eightHours', new Date())]).toEqual([3600, 28_800])
  })
})
