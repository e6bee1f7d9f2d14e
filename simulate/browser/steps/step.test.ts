import { expect, test } from 'vitest'
import { Random } from '../../random/random.ts'
import { allSteps } from './all-steps.ts'
import { pickStep } from './step.ts'

function planOf(seed: string, person: string): string[] {
  const [random, steps] = [new Random(seed).of(person), allSteps([])]
  return Array.from({ length: 200 }, () => pickStep(random, steps).name)
}

test('the same seed gives a person the same plan, and another seed or person another one', () => {
  expect(planOf('7', 'phone')).toEqual(planOf('7', 'phone'))
  expect(planOf('7', 'phone')).not.toEqual(planOf('8', 'phone'))
  expect(planOf('7', 'phone')).not.toEqual(planOf('7', 'owner'))
})

test('a long plan contains every step', () => {
  const random = new Random('7')
  const steps = allSteps([])
  const plan = new Set(Array.from({ length: 5000 }, () => pickStep(random, steps).name))
  expect(steps.filter(({ name }) => !plan.has(name))).toEqual([])
})
