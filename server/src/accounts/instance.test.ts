import type { Instance } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { Person } from '../../test/person.ts'
import { expectOk, portal } from '../../test/channel-fixture.ts'

const { server } = await portal()

describe('updateInstance', () => {
  test('is for administrators only', async () => {
    const person = await new Person(server).signUp()
    expect(await person.patch('/instance', { registrationOpen: false })).toMatchObject({
      status: 403,
      body: { reason: 'not_an_administrator' },
    })
    expect(expectOk(await person.get<Instance>('/instance'))).toMatchObject({
      registrationOpen: true,
      needsSetUp: false,
    })
  })
})
