import { expect, test } from 'vitest'
import { hueOf } from './hue-of.ts'
import { initialsOf, tileLettersOf } from './initials.ts'

test.each([
  ['Ada Novak', 'AN'],
  ['boris', 'B'],
  ['Дарья', 'Д'],
  ['Ada Maria Novak', 'AM'],
  ['  spaced   out  ', 'SO'],
  ['👩‍🚀 Sally', '👩‍🚀S'],
  ['Emil (ops)', 'EO'],
  ['“Quoted”', 'Q'],
  ['Salt & Pepper', 'SP'],
  ['…', '…'],
])('the initials of %j are %j', (name, initials) => {
  expect(initialsOf(name)).toBe(initials)
})

test.each([
  ['Ateliers', 'At'],
  ['Русский клуб', 'РК'],
  ['X', 'X'],
  ['C++', 'C+'],
  ['rust', 'Ru'],
])('the tile of %j says %j', (name, letters) => {
  expect(tileLettersOf(name)).toBe(letters)
})

test('an id always has the same colour, and ids differ', () => {
  const ids = Array.from({ length: 200 }, (_, index) => `0199d2f4-5b1e-7c44-a1d3-${String(index).padStart(12, '0')}`)
  const hues = ids.map(hueOf)

  expect(ids.map(hueOf)).toEqual(hues)
  expect(hues.every((hue) => hue >= 0 && hue < 360)).toBe(true)
  expect(new Set(hues).size).toBeGreaterThan(100)
})
