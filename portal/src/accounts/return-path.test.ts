import { expect, test } from 'vitest'
import { signInFrom, returnPath } from './return-path.ts'

const origin = 'https://portal.example'

test('the page a person came from survives sign-in, with its query and its hash', () => {
  const place = '/c/1/2?at=3#end'
  const signIn = new URL(signInFrom(new URL(place, origin)), origin)

  expect(signIn.pathname).toBe('/sign-in')
  expect(returnPath(signIn)).toBe(place)
})

test('without a page to return to, sign-in leads to the start page', () => {
  expect(signInFrom(new URL('/', origin))).toBe('/sign-in')
  expect(returnPath(new URL('/sign-in', origin))).toBe('/')
})

test.each([
  'https://evil.example/',
  '//evil.example/',
  '/\\evil.example/',
  '/\t/evil.example/',
  '//[',
  'javascript:alert(1)',
  'c/1',
  '',
])('no way leads out of the portal by %j', (next) => {
  expect(returnPath(new URL(`/sign-in?${new URLSearchParams({ next })}`, origin))).toBe('/')
})
