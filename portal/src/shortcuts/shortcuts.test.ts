import { describe, expect, test } from 'vitest'
import { SHORTCUTS, pressed, type Combination, type ShortcutScope } from './shortcuts.ts'
import { formatKeys } from './format-keys.ts'

function press(of: Partial<KeyboardEvent>): KeyboardEvent {
  const modifiers = { altKey: false, ctrlKey: false, metaKey: false, shiftKey: false, isComposing: false }
  return { key: '', code: '', ...modifiers, ...of } as KeyboardEvent
}

function asEvent({ key, code = '', mod, alt, shift }: Combination): KeyboardEvent {
  return press({ key, code, ctrlKey: Boolean(mod), altKey: Boolean(alt), shiftKey: Boolean(shift) })
}

describe('pressed', () => {
  test.each(Object.keys(SHORTCUTS) as ShortcutScope[])('tells each key of %s from all the others', (place) => {
    for (const [action, combinations] of Object.entries<readonly Combination[]>(SHORTCUTS[place])) {
      for (const combination of combinations) expect(pressed(place, asEvent(combination))).toBe(action)
    }
  })

  test('uses the position of a letter on a Cyrillic keyboard', () => {
    expect(pressed('anywhere', press({ key: 'л', code: 'KeyK', ctrlKey: true }))).toBe('openSwitcher')
  })

  test('accepts a character with or without Shift', () => {
    expect(pressed('messages', press({ key: '+', code: 'Equal', shiftKey: true }))).toBe('react')
    expect(pressed('messages', press({ key: '+', code: 'NumpadAdd' }))).toBe('react')
  })

  test('ignores keys that belong to something else', () => {
    expect(pressed('anywhere', press({ key: 'k', code: 'KeyK' }))).toBeUndefined()
    expect(pressed('anywhere', press({ key: 'K', code: 'KeyK', ctrlKey: true, shiftKey: true }))).toBeUndefined()
    expect(pressed('anywhere', press({ key: 'k', code: 'KeyK', ctrlKey: true, altKey: true }))).toBeUndefined()
    expect(pressed('anywhere', press({ key: 'k', code: 'KeyK', metaKey: true }))).toBeUndefined()
  })

  test('ignores keys while an input method is composing', () => {
    expect(pressed('composer', press({ key: 'Enter', isComposing: true }))).toBeUndefined()
  })
})

test('a combination is written as its keys are labeled', () => {
  expect(formatKeys({ key: 'ArrowUp', alt: true, shift: true })).toEqual(['Alt', 'Shift', '↑'])
  expect(formatKeys({ key: 'k', mod: true })).toEqual(['Ctrl', 'K'])
})
