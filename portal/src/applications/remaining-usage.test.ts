import { expect, test } from 'vitest'
import { usageAfter } from './remaining-usage.ts'

test('usage decreases second by second', () => {
  const used = { freeing: [2, 0, 3] }
  expect([-5, 0, 999, 1000, 2000, 3000, 60_000].map((milliseconds) => usageAfter(used, milliseconds))).toEqual([
    5, 5, 5, 3, 3, 0, 0,
  ])
  expect(usageAfter({ freeing: [] }, 0)).toBe(0)
})
