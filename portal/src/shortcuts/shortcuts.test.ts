import { describe, expect, test } from 'vitest'
import { KEYS, pressed, type Combination, type KeyPlace } from './shortcuts.ts'
import { writtenOut } from './format-keys.ts'

function press(of: Partial<KeyboardEvent>): KeyboardEvent {
  const held = { altKey: false, ctrlKey: false, metaKey: false, shiftKey: false, isComposing: false }
  return { key: '', code: '', ...held, ...of } as KeyboardEvent
}

function asEvent({ key, code = '', mod, alt, shift }: Combination): KeyboardEvent {
  return press({ key, code, ctrlKey: Boolean(mod), altKey: Boolean(alt), shiftKey: Boolean(shift) })
}

describe('pressed', () => {
  test.each(Object.keys(KEYS) as KeyPlace[])('tells each key of %s from all the others', (place) => {
    for (const [action, combinations] of Object.entries<readonly Combination[]>(KEYS[place])) {
      for (const combination of combinations) expect(pressed(place, asEvent(combination))).toBe(action)
    }
  })

  test('goes by the place of a letter when the keyboard writes Cyrillic', () => {
    expect(pressed('anywhere', press({ key: 'л', code: 'KeyK', ctrlKey: true }))).toBe('openSwitcher')
  })

  test('does not mind whether a sign needs Shift', () => {
    expect(pressed('messages', press({ key: '+', code: 'Equal', shiftKey: true }))).toBe('react')
    expect(pressed('messages', press({ key: '+', code: 'NumpadAdd' }))).toBe('react')
  })

  test('leaves keys alone that belong to something else', () => {
    expect(pressed('anywhere', press({ key: 'k', code: 'KeyK' }))).toBeUndefined()
    expect(pressed('anywhere', press({ key: 'K', code: 'KeyK', ctrlKey: true, shiftKey: true }))).toBeUndefined()
    expect(pressed('anywhere', press({ key: 'k', code: 'KeyK', ctrlKey: true, altKey: true }))).toBeUndefined()
    expect(pressed('anywhere', press({ key: 'k', code: 'KeyK', metaKey: true }))).toBeUndefined()
  })

  test('nothing is a command while a word is being composed', () => {
    expect(pressed('composer', press({ key: 'Enter', isComposing: true }))).toBeUndefined()
  })
})

test('a combination is written as its keys are labelled', () => {
  expect(writtenOut({ key: 'ArrowUp', alt: true, shift: true })).toEqual(['Alt', 'Shift', '↑'])
  expect(writtenOut({ key: 'k', mod: true })).toEqual(['Ctrl', 'K'])
})
