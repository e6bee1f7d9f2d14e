import { describe, expect, test } from 'vitest'
import { expectOk } from '../../test/expect-ok.ts'
import { signInFixture } from '../../test/sign-in-fixture.ts'

describe('listConsents', () => {
  test('shows the site, the scopes and the last use', async () => {
    const { site, person, server, owner } = await signInFixture()
    const before = new Date(Date.now() - 1000).toISOString()
    await site.codeFor(person, { scope: 'service.identify' })
    const consent = async () =>
      expectOk(await person.get<{ consents: Record<string, unknown>[] }>('/account/consents')).consents[0]
    expect(await consent()).toMatchObject({
      application: { id: site.applicationId, name: 'Fleet', owner: { id: owner.id, name: owner.name } },
      site: 'fleet.example',
      scopes: ['service.identify'],
      lastUsedAt: null,
    })
    const { access_token } = await site.tokensFor(person, { scope: 'openid service.identify' })
    expect(await consent()).toMatchObject({
      scopes: ['openid', 'service.identify'],
      lastUsedAt: expect.any(String),
    })
    const long = new Date(Date.now() - 3_600_000).toISOString()
    await server.services.database.kysely
      .updateTable('consents')
      .set({ last_used_at: long })
      .where('account_id', '=', person.id)
      .execute()
    await site.api('/users/@me', access_token)
    const now = await consent()
    expect(String(now?.['lastUsedAt']) > before).toBe(true)
  })
})
