import { expect, test } from 'vitest'
import { resolveStack } from './stacks.ts'

const FRAME = 'http://127.0.0.1:1/_app/immutable/chunks/a1b2.js:1:1'
/** The first character comes from the first one of the third line. */
const MAP = JSON.stringify({
  version: 3,
  sources: ['../../../src/messages/Composer.svelte'],
  names: [],
  mappings: 'AAEA',
})

test('a stack names the places in the source code', async () => {
  const resolved = await resolveStack(`TypeError: x\n    at f (${FRAME})`, async () => MAP)
  expect(resolved).toBe('TypeError: x\n    at f (portal/src/messages/Composer.svelte:3:1)')
})

test('a frame of a file without a map stays as it is', async () => {
  const stack = `TypeError: x\n    at f (${FRAME})`
  expect(await resolveStack(stack, () => Promise.reject(new Error('no map')))).toBe(stack)
})
