import type { Account } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { Person } from '../../test/person.ts'
import { expectOk, portal } from '../../test/channel-fixture.ts'

const { server } = await portal()

describe('updateAccount', () => {
  test('changes name, language and theme, and leaves absent fields unchanged', async () => {
    const person = await new Person(server).signUp()
    const name = 'Ада Nováková'
    expect(expectOk(await person.patch<Account>('/account', { name, theme: 'dark' }))).toMatchObject({
      name,
      theme: 'dark',
      locale: null,
      avatarVersion: 2,
    })
    expect(expectOk(await person.patch<Account>('/account', { locale: 'en' }))).toMatchObject({ name, locale: 'en' })
    expect(expectOk(await person.patch<Account>('/account', {}))).toMatchObject({ name, theme: 'dark', locale: 'en' })
  })

  test('rejects another person’s name, and accepts a new spelling of your own', async () => {
    const [person, other] = [await new Person(server).signUp(), await new Person(server).signUp()]
    expect(await person.patch('/account', { name: other.name.toUpperCase() })).toMatchObject({
      status: 422,
      body: { reason: 'name_taken' },
    })
    expect(await person.patch('/account', { name: person.name.toUpperCase() })).toMatchObject({ status: 200 })
  })
})
