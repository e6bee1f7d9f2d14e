import { expect, test } from 'vitest'
import { defectOf } from './defect-of.ts'

const FRAME = 'https://portal.example/_app/immutable/chunks/CTgpBkcG.js:1:2723'

function errorWith(stack: string, message: string): Error {
  return Object.assign(new TypeError(message), { stack })
}

test('a defect is described by files, lines and columns, and never by what an error quotes', () => {
  const error = errorWith(
    `TypeError: "my secret" is not valid\n  at f (${FRAME})\n  at my secret (extension:1:2)`,
    'my secret',
  )
  expect(defectOf('room', error)).toEqual({ place: 'room', name: 'TypeError', stack: ['chunks/CTgpBkcG.js:1:2723'] })
})

test('a defect has the code of an error of Svelte, and at most twenty frames', () => {
  const error = errorWith(`${FRAME}\n`.repeat(50), 'https://svelte.dev/e/effect_update_depth_exceeded')
  const { name, stack } = defectOf('room', error)
  expect(name).toBe('effect_update_depth_exceeded')
  expect(stack).toHaveLength(20)
})
