import { describe, expect, test } from 'vitest'
import { PASSWORD as password, Person } from '../../test/person.ts'
import { portal } from '../../test/channel-fixture.ts'

const { server } = await portal()

describe('changePassword', () => {
  test('signs out everywhere else', async () => {
    const person = await new Person(server).signUp()
    const phone = await person.signInElsewhere()
    const newPassword = 'another horse battery'
    expect(await person.put('/account/password', { currentPassword: password, newPassword })).toMatchObject({
      status: 204,
    })
    expect(await person.get('/session')).toMatchObject({ status: 200 })
    expect(await phone.get('/session')).toMatchObject({ status: 204 })

    const { name } = person
    expect(await phone.post('/sessions', { name, password })).toMatchObject({ status: 401 })
    expect(await phone.post('/sessions', { name, password: newPassword })).toMatchObject({ status: 201 })
  })

  test('requires the current password and throttles guesses', async () => {
    const person = await new Person(server).signUp()
    const guess = () => person.put('/account/password', { currentPassword: 'a guess', newPassword: 'a new password' })
    for (let tries = 0; tries < 10; tries++) {
      expect(await guess()).toMatchObject({
        status: 400,
        body: { field: 'currentPassword', reason: 'wrong_password' },
      })
    }
    expect(await guess()).toMatchObject({ status: 429, body: { reason: 'too_many_attempts' } })
  })
})
