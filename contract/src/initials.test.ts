import { expect, test } from 'vitest'
import { tileColor } from './tile-color.ts'
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

test('an id always has the same color, and ids differ', () => {
  const ids = Array.from({ length: 200 }, (_, index) => `0199d2f4-5b1e-7c44-a1d3-${String(index).padStart(12, '0')}`)
  const colors = ids.map(tileColor)

  expect(ids.map(tileColor)).toEqual(colors)
  expect(new Set(colors).size).toBeGreaterThan(10)
})

test('white letters are readable on every color, by WCAG AA', () => {
  const ids = Array.from({ length: 2000 }, (_, index) => String(index))
  for (const color of new Set(ids.map(tileColor))) {
    const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
      const channel = Number.parseInt(color.slice(at, at + 2), 16) / 255
      return channel <= 0.03928 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
    })
    const contrast = 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05)
    expect(contrast, color).toBeGreaterThan(4.5)
    // None stands out.
    expect(contrast, color).toBeLessThan(6.5)
  }
})
