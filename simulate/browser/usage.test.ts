import { describe, expect, test } from 'vitest'
import { Random } from '../random/random.ts'
import { Usage } from './usage.ts'

describe('Usage', () => {
  test('treats names with other numbers, ids and people as the same', () => {
    const usage = new Usage(() => ['Ada Novak'])
    expect(usage.plain('Actions of Ada Novak, 3 of 14')).toBe(usage.plain('Actions of Ada Novak, 12 of 5'))
    expect(usage.plain('Reply to Ada Novak')).toBe('Reply to ‹name›')
  })

  test('chooses the same for the same seed', () => {
    const chosen = (): (string | undefined)[] => {
      const [usage, random] = [new Usage(), new Random('seed')]
      return Array.from({ length: 20 }, () => usage.pick(random, ['a', 'b', 'c'], (name) => name))
    }
    expect(chosen()).toEqual(chosen())
  })

  test('soon chooses what was never used', () => {
    const [usage, random] = [new Usage(), new Random('seed')]
    for (let count = 0; count < 100; count += 1) usage.use('often')
    const chosen = Array.from({ length: 20 }, () => usage.pick(random, ['often', 'never'], (name) => name))
    expect(chosen.filter((name) => name === 'never').length).toBeGreaterThan(15)
  })

  test('lists what was seen and never used', () => {
    const usage = new Usage()
    usage.see('a')
    usage.see('b')
    usage.use('b')
    expect(usage.unused()).toEqual(['a'])
  })
})
