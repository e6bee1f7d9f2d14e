import { expect, test } from 'vitest'
import { fitPicture } from './fit-picture.ts'

test.each([
  ['a small picture stays as it is', { width: 100, height: 80 }, { width: 100, height: 80 }],
  ['a wide one fits the width', { width: 1200, height: 600 }, { width: 420, height: 210 }],
  ['a tall one fits the height', { width: 600, height: 1200 }, { width: 160, height: 320 }],
  ['a line stays visible', { width: 10_000, height: 1 }, { width: 420, height: 44 }],
  ['an unknown size gets a place', {}, { width: 320, height: 240 }],
])('%s', (_, picture, size) => {
  expect(fitPicture(picture)).toEqual(size)
})
