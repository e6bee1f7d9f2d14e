import { describe, expect, test } from 'vitest'
import { patience } from './patience.ts'

describe('patience', () => {
  test('ends after its time, and much later if the machine was busy for a moment', () => {
    let time = 0
    let isBusy = false
    const clock = (): number => time
    const [calm, hindered] = [patience(1000, () => false, clock), patience(1000, () => isBusy, clock)]
    expect([calm(), hindered()]).toEqual([false, false])
    ;[time, isBusy] = [900, true]
    expect(hindered()).toBe(false)
    ;[time, isBusy] = [1001, false]
    expect([calm(), hindered()]).toEqual([true, false])
    time = 4999
    expect(hindered()).toBe(false)
    time = 5001
    expect(hindered()).toBe(true)
  })
})
