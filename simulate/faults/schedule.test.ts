import { describe, expect, test } from 'vitest'
import { Random } from '../random/random.ts'
import { ALONE, type Fault } from './fault.ts'
import { schedule, type Step } from './schedule.ts'

const STEPS = 400

function fault(name: string, group: string): Fault {
  return {
    name,
    group,
    plan: (random) => ({
      hit: `${name} ${random.integer(1000)}`,
      lasts: random.between(1, 1000),
      begin: async () => undefined,
      end: async () => undefined,
    }),
  }
}

const FAULTS = [
  fault('kill-node', 'node'),
  fault('freeze-node', 'node'),
  fault('kill-redis', 'redis'),
  fault('jump-clock', ALONE),
]

function steps(seed: string, faults: readonly Fault[] = FAULTS): Step[] {
  return [...schedule(faults, new Random(seed)).take(STEPS)]
}

/** Everything about a step that is not a function. */
function contents(all: readonly Step[]): unknown {
  return JSON.parse(JSON.stringify(all))
}

describe('schedule', () => {
  test('is the same for the same seed, and another one for another seed', () => {
    expect(contents(steps('one'))).toEqual(contents(steps('one')))
    expect(contents(steps('one'))).not.toEqual(contents(steps('two')))
  })

  test('causes every fault sooner or later', () => {
    const names = new Set(steps('one').flatMap(({ planned }) => planned.map((one) => one.fault)))
    expect([...names].toSorted()).toEqual(FAULTS.map(({ name }) => name).toSorted())
  })

  test('causes two faults at a time now and then, never two of a group, and nothing during those that happen alone', () => {
    const groupOf = new Map(FAULTS.map(({ name, group }) => [name, group]))
    const pairs = steps('one').filter(({ planned }) => planned.length > 1)
    expect(pairs.length).toBeGreaterThan(STEPS / 20)
    expect(pairs.length).toBeLessThan(STEPS / 4)
    for (const { planned } of pairs) {
      const groups = planned.map((one) => groupOf.get(one.fault))
      expect(new Set(groups).size).toBe(2)
      expect(groups).not.toContain(ALONE)
    }
  })

  test('is empty without faults', () => {
    expect(steps('one', [])).toEqual([])
  })
})
