import { describe, expect, test } from 'vitest'
import { startServer } from '../../test/start-server.ts'

const plain = await startServer({ PUBLIC_URL: 'http://chat.example' })
const secure = await startServer({ PUBLIC_URL: 'https://chat.example' })

/** Tries to sign in from a page. After the origin check the answer is 401, because there are no accounts. */
async function signIn(url: string, headers: Record<string, string>) {
  const body = JSON.stringify({ name: 'Nobody', password: 'wrong' })
  const answer = await fetch(`${url}/portal/v1/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  })
  return { status: answer.status, body: await answer.json() }
}

describe('a request that changes something', () => {
  test.each([
    ['a foreign site', { origin: 'https://evil.example' }],
    ['a neighboring host', { origin: 'http://evil.chat.example' }],
    ['another port of the same host', { origin: 'http://chat.example:8080' }],
    ['a page without an origin of its own', { origin: 'null' }],
    ['a program that names none', {}],
    ['a program that names a mere host', { origin: 'chat.example' }],
    ['a page whose address only starts with the portal’s', { origin: 'http://chat.example.evil.example' }],
  ])('is refused from %s', async (_, headers) => {
    expect(await signIn(plain.url, headers)).toEqual({
      status: 403,
      body: {
        error: 'Forbidden',
        status: 'error',
        message: 'The request must have an Origin header with this portal’s origin.',
        reason: 'foreign_origin',
      },
    })
  })

  test('is accepted from the public origin, and from the origin that was really opened', async () => {
    expect(await signIn(plain.url, { origin: 'http://chat.example' })).toMatchObject({ status: 401 })
    expect(await signIn(plain.url, { origin: plain.url })).toMatchObject({ status: 401 })
    expect(await signIn(secure.url, { origin: 'https://chat.example' })).toMatchObject({ status: 401 })
  })

  test('is refused from the same host over http if the portal uses https', async () => {
    expect(await signIn(secure.url, { origin: 'http://chat.example' })).toMatchObject({ status: 403 })
    expect(await signIn(secure.url, { origin: secure.url })).toMatchObject({ status: 403 })
  })
})

test('a request that only reads needs no origin', async () => {
  expect((await fetch(`${plain.url}/portal/v1/instance`)).status).toBe(200)
  const foreign = await fetch(`${plain.url}/portal/v1/instance`, { headers: { origin: 'https://evil.example' } })
  expect(foreign.status).toBe(200)
  expect(foreign.headers.has('access-control-allow-origin')).toBe(false)
})
