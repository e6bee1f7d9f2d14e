import { expect, test } from 'vitest'
import { applicationIdIn } from './application-id.ts'

const id = '0199d2f4-5b1e-7c44-a1d3-3a6f0c2e9b57'

test.each([
  [id, id],
  [`  ${id.toUpperCase()} `, id],
  [`https://chat.example/install/${id}?channel=1`, id],
  ['https://chat.example/install/', undefined],
  ['Shipyard', undefined],
  ['', undefined],
])('in %j the id is %j', (text, expected) => {
  expect(applicationIdIn(text)).toBe(expected)
})
