import { describe, expect, test } from 'vitest'
import { ageSignIns } from '../../test/age-sign-ins.ts'
import { expectOk } from '../../test/expect-ok.ts'
import { signInFixture } from '../../test/sign-in-fixture.ts'
import { sweep } from '../maintenance.ts'

const DAY = 24 * 60 * 60

describe('the sweep of sign-ins', () => {
  test('deletes expired rows and unused grants', async () => {
    const { site, person, server } = await signInFixture()
    const { kysely } = server.services.database
    const grants = () => kysely.selectFrom('oauth_grants').select('id').where('account_id', '=', person.id).execute()
    const { refresh_token } = await site.tokensFor(person)
    await site.codeFor(person)
    await ageSignIns(server, person, 2 * DAY)
    await sweep(server.services)
    expect(await grants()).toHaveLength(1)
    expect((await site.refresh(refresh_token)).status).toBe(200)
    await ageSignIns(server, person, 31 * DAY)
    await sweep(server.services)
    expect(await grants()).toEqual([])
    expect(expectOk(await person.get<{ consents: unknown[] }>('/account/consents')).consents).toHaveLength(1)
  })
})
