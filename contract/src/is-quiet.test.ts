import { describe, expect, test } from 'vitest'
import { isQuiet, isTimeZone } from './is-quiet.ts'

const at = (time: string): Date => new Date(`2026-01-15T${time}Z`)

describe('isQuiet', () => {
  test('includes the first minute and excludes the last', () => {
    const lunch = { from: '12:00', until: '13:00', timeZone: 'UTC' }
    const quiet = ['11:59:59', '12:00:00', '12:59:59', '13:00:00'].map((time) => isQuiet(lunch, at(time)))
    expect(quiet).toEqual([false, true, true, false])
  })

  test('goes on past midnight', () => {
    const night = { from: '22:00', until: '07:30', timeZone: 'UTC' }
    const quiet = ['21:59', '23:10', '00:00', '07:29', '07:30'].map((time) => isQuiet(night, at(`${time}:00`)))
    expect(quiet).toEqual([false, true, true, true, false])
  })

  test('lasts all day if it begins and ends at the same time', () => {
    const always = { from: '09:00', until: '09:00', timeZone: 'UTC' }
    expect(['08:59', '09:00', '23:00'].map((time) => isQuiet(always, at(`${time}:00`)))).toEqual([true, true, true])
  })

  test('goes by the clock of the time zone, daylight saving time included', () => {
    const night = { from: '22:00', until: '07:00', timeZone: 'Europe/Berlin' }
    expect(isQuiet(night, new Date('2026-01-15T06:30:00Z'))).toBe(false)
    expect(isQuiet(night, new Date('2026-01-15T05:30:00Z'))).toBe(true)
    expect(isQuiet(night, new Date('2026-07-15T05:30:00Z'))).toBe(false)
    expect(isQuiet({ ...night, timeZone: 'Mars/Olympus' }, new Date('2026-01-15T05:30:00Z'))).toBe(false)
  })
})

describe('isTimeZone', () => {
  test('accepts zones that exist and nothing else', () => {
    expect(['Europe/Berlin', 'UTC', 'Mars/Olympus', ''].map(isTimeZone)).toEqual([true, true, false, false])
  })
})
