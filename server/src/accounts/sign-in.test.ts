import type { Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { PASSWORD as password, Person } from '../../test/person.ts'
import { expectOk, portal } from '../../test/channel-fixture.ts'

const { server } = await portal()

type SignedIn = Output<typeof api.signIn>

describe('signIn', () => {
  test('accepts the name in any case', async () => {
    const name = 'Ада Nováková'
    expectOk(await new Person(server).post('/accounts', { name, password }))
    for (const same of [name, name.toUpperCase(), ` ${name.toLowerCase()}`]) {
      const answer = await new Person(server).post<SignedIn>('/sessions', { name: same, password })
      expect(expectOk(answer).account.name).toBe(name)
    }
  })

  test('does not reveal whether the name or the password was wrong', async () => {
    const person = await new Person(server).signUp()
    const [unknown, wrong] = await Promise.all([
      new Person(server).post('/sessions', { name: `${person.name}!`, password }),
      new Person(server).post('/sessions', { name: person.name, password: `${password}!` }),
    ])
    expect(unknown).toMatchObject({ status: 401, body: { reason: 'wrong_credentials' } })
    expect(wrong.body).toEqual(unknown.body)
  })
})
