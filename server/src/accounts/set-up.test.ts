import type { Instance, Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { PASSWORD as password, Person } from '../../test/person.ts'
import { startServer } from '../../test/start-server.ts'
import { expectOk } from '../../test/channel-fixture.ts'
import { setUpCode } from './set-up.ts'

type SignedIn = Output<typeof api.signIn>

describe('setUp', () => {
  test('creates the first administrator, once', async () => {
    const fresh = await startServer()
    const visitor = new Person(fresh)
    expect(expectOk(await visitor.get<Instance>('/instance'))).toMatchObject({ needsSetUp: true })
    const code = setUpCode(fresh.services.secret)

    expect(await visitor.post('/set-up', { code: `${code}0`, name: 'Ada', password })).toMatchObject({
      status: 403,
      body: { reason: 'wrong_set_up_code' },
    })
    const { account } = expectOk(
      await visitor.post<SignedIn>('/set-up', { code: ` ${code.toUpperCase()} `, name: 'Ada', password }),
    )
    expect(account).toMatchObject({ name: 'Ada', isAdministrator: true })
    expect(expectOk(await visitor.get<Instance>('/instance'))).toMatchObject({ needsSetUp: false })
    expect(expectOk(await visitor.get('/audit-log'))).toMatchObject({
      entries: [{ action: 'administrator.created', targetName: 'Ada' }],
    })

    expect(await new Person(fresh).post('/set-up', { code, name: 'Eve', password })).toMatchObject({
      status: 403,
      body: { reason: 'set_up_done' },
    })
  })

  test('creates one administrator for any number of concurrent requests', async () => {
    const fresh = await startServer()
    const code = setUpCode(fresh.services.secret)
    const names = ['Ada', 'Bo', 'Cy', 'Di', 'Eve']
    const answers = await Promise.all(names.map((name) => new Person(fresh).post('/set-up', { code, name, password })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 403, 403, 403, 403])
  })
})
