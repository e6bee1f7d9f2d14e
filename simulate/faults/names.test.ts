import { describe, expect, test } from 'vitest'
import { chooseFaults, FAULTS } from './names.ts'

describe('chooseFaults', () => {
  test('chooses all that a mode knows, or none', () => {
    expect([...chooseFaults('cluster', 'all')]).toEqual(Object.keys(FAULTS))
    expect(chooseFaults('single', 'all')).not.toContain('kill-redis')
    expect(chooseFaults('single', 'none').size).toBe(0)
  })

  test('chooses by name and by group', () => {
    expect([...chooseFaults('single', 'lock-rows, kill')]).toEqual([
      'lock-rows',
      'kill-portico',
      'kill-postgres',
      'kill-while-migrating',
    ])
  })

  test('says what is wrong with a name', () => {
    expect(() => chooseFaults('single', 'kill-redis')).toThrow('The fault “kill-redis” needs --mode cluster.')
    expect(() => chooseFaults('single', 'earthquake')).toThrow('There is no fault “earthquake”. There are, with --mode')
  })
})
