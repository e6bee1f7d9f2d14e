import { expect, test } from 'vitest'
import { changesOf, forget, keep, conflictOf, seenOf, touch, untouched } from './draft-state.ts'

const plans = { name: 'plans', topic: '' }

test('untouched fields follow the saved values, and edited ones keep theirs', () => {
  const draft = touch(untouched, plans, 'name', 'ideas')
  const saved = { name: 'plans', topic: 'What comes next' }

  expect(changesOf(draft, saved)).toEqual({ name: 'ideas' })
  expect(seenOf(draft, saved)).toEqual({ name: 'plans' })
  expect(conflictOf(draft, saved)).toEqual({})
})

test('a field that someone else changed too is a conflict, until one of the values is chosen', () => {
  const draft = touch(untouched, plans, 'name', 'ideas')
  const saved = { name: 'dreams', topic: '' }
  expect(conflictOf(draft, saved)).toEqual({ name: 'dreams' })
  expect(seenOf(draft, saved)).toEqual({ name: 'plans' })

  const kept = keep(draft, saved, 'name')
  expect(conflictOf(kept, saved)).toEqual({})
  expect(seenOf(kept, saved)).toEqual({ name: 'dreams' })
  expect(changesOf(kept, saved)).toEqual({ name: 'ideas' })

  expect(changesOf(forget(draft, 'name'), saved)).toEqual({})
})

test('restoring the saved value is no change, and neither is the same change by someone else', () => {
  const draft = touch(untouched, plans, 'name', 'ideas')
  expect(changesOf(touch(draft, plans, 'name', 'plans'), plans)).toEqual({})

  const saved = { name: 'ideas', topic: '' }
  expect(changesOf(draft, saved)).toEqual({})
  expect(conflictOf(draft, saved)).toEqual({})
})

test('typing on keeps the value from before the first edit', () => {
  const begun = touch(untouched, plans, 'name', 'i')
  const draft = touch(begun, { name: 'dreams', topic: '' }, 'name', 'ideas')
  expect(seenOf(draft, { name: 'dreams', topic: '' })).toEqual({ name: 'plans' })
})

test('a field that is edited again after being restored starts from the current value', () => {
  const back = touch(touch(untouched, plans, 'name', 'ideas'), plans, 'name', 'plans')
  const dreams = { name: 'dreams', topic: '' }
  expect(changesOf(back, dreams)).toEqual({})
  const again = touch(back, dreams, 'name', 'ideas')
  expect(seenOf(again, dreams)).toEqual({ name: 'dreams' })
})
