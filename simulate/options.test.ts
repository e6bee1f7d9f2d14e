import { describe, expect, test } from 'vitest'
import { HELP, readOptions } from './options.ts'

describe('readOptions', () => {
  test('has a default for everything', () => {
    expect(readOptions([])).toMatchObject({ mode: 'single', minutes: 10, seed: undefined, replay: undefined })
  })

  test('reads what is given', () => {
    const args = ['--mode', 'cluster', '--minutes', '0.5', '--seed', '7', '--faults', 'kill-redis']
    const faults = new Set(['kill-redis'])
    expect(readOptions(args)).toMatchObject({ mode: 'cluster', minutes: 0.5, seed: '7', faults })
    expect(readOptions(['--help'])).toBe('help')
    expect(HELP).toContain('kill-redis')
  })

  test.each([
    [['--mode', 'both'], '--mode is single or cluster, not “both”.'],
    [['--minutes', 'ten'], '--minutes is a number above 0, such as 10 or 0.5, not “ten”.'],
    [['--minutes', '0'], '--minutes is a number above 0'],
    [['--faults', 'earthquake'], 'There is no fault “earthquake”.'],
    [['--quick'], 'Unknown option'],
    [['quick'], 'Unexpected argument'],
  ])('refuses %j with a reason', (args, reason) => {
    expect(() => readOptions(args)).toThrow(reason)
  })
})
