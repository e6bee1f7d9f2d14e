import { describe, expect, test } from 'vitest'
import { setUpCode } from '../accounts/set-up.ts'
import { Person } from '../../test/person.ts'
import { startServer } from '../../test/start-server.ts'
import { portal } from '../../test/channel-fixture.ts'

/** The name, value and attributes of the session cookie that a response sets. */
function cookieOf(headers: Headers) {
  const [cookie = '', ...others] = headers.getSetCookie()
  for (const other of others) expect(other).toMatch(/^(__Host-)?portico-device=/)
  const [pair = '', ...attributes] = cookie.split('; ')
  return { name: pair.split('=')[0], value: pair.split('=')[1], attributes: attributes.toSorted() }
}

describe('the session cookie', () => {
  test('is not readable by scripts and not sent by other sites', async () => {
    const { server } = await portal()
    const person = await new Person(server).signUp()
    const { headers } = await person.post('/sessions', { name: person.name, password: person.password })
    const { name, value, attributes } = cookieOf(headers)
    expect(name).toBe('portico')
    expect(value).toMatch(/^[\w-]{43}$/)
    expect(attributes).toEqual(['HttpOnly', 'Max-Age=34560000', 'Path=/', 'SameSite=Lax'])
  })

  test('is sent only over https if the portal uses it, and cannot be set by a neighboring host', async () => {
    const server = await startServer({ PUBLIC_URL: 'https://chat.example' })
    const origin = 'https://chat.example'
    const person = new Person(server)
    const entered = await person.request(
      'POST',
      '/set-up',
      { code: setUpCode(server.services.secret), name: person.name, password: person.password },
      { origin },
    )
    const { name, value, attributes } = cookieOf(entered.headers)
    expect(name).toBe('__Host-portico')
    expect(attributes).toEqual(['HttpOnly', 'Max-Age=34560000', 'Path=/', 'SameSite=Lax', 'Secure'])

    const planted = new Person(server)
    const answer = await planted.request('GET', '/session', undefined, { cookie: `portico=${value}` })
    expect(answer.status).toBe(204)
    expect(await person.get('/session')).toMatchObject({ status: 200 })
  })

  test('is cleared on sign-out, and its token stops working', async () => {
    const { server } = await portal()
    const person = new Person(server)
    await person.signUp()
    const signedIn = await person.post('/sessions', { name: person.name, password: person.password })
    const { value } = cookieOf(signedIn.headers)

    const answer = await person.delete('/sessions/current')
    expect(answer.status).toBe(204)
    expect(cookieOf(answer.headers)).toMatchObject({ name: 'portico', value: '' })
    const thief = await new Person(server).request('GET', '/session', undefined, { cookie: `portico=${value}` })
    expect(thief.status).toBe(204)
  })

  test('is not set when the sign-in is refused', async () => {
    const { server } = await portal()
    const { headers, status } = await new Person(server).post('/sessions', { name: 'Nobody', password: 'x' })
    expect(status).toBe(401)
    expect(headers.getSetCookie()).toEqual([])
  })
})
