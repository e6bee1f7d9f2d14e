import { createHash, randomBytes } from 'node:crypto'
import { LIMITS } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { ageSignIns } from '../../test/age-sign-ins.ts'
import { signInFixture } from '../../test/sign-in-fixture.ts'
import { EVERYTHING, SITE, tokens, Website } from '../../test/website.ts'
import { expectOk } from '../../test/channel-fixture.ts'

const DAY = 24 * 60 * 60

async function works(site: Website, accessToken: string): Promise<boolean> {
  const { status } = await site.api('/users/@me', accessToken)
  const { body } = await site.introspect(accessToken)
  expect(body.active).toBe(status === 200)
  return status === 200
}

describe.each([1, 2] as const)('tokens on %i provider(s)', (providers) => {
  test('have the documented format', async () => {
    const { site, person } = await signInFixture(providers)
    const answer = await site.exchange(await site.codeFor(person))
    expect(answer.status).toBe(200)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.body).toEqual({
      access_token: expect.stringMatching(/^[\w-]{43}$/),
      refresh_token: expect.stringMatching(/^[\w-]{43}$/),
      id_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: EVERYTHING,
    })
  })

  test('have no id_token in plain OAuth', async () => {
    const { site, person } = await signInFixture(providers)
    const got = await site.tokensFor(person, { scope: 'service.identify service.channels.read' })
    expect(got).not.toHaveProperty('id_token')
    expect((await site.userinfo(got.access_token)).status).toBe(403)
  })

  test('are refused for a wrong secret, in the body and by Basic', async () => {
    const { site, person } = await signInFixture(providers)
    const code = await site.codeFor(person)
    const wrong = `${site.clientSecret.slice(0, -1)}_`
    const basic = (secret: string) => ({
      authorization: `Basic ${Buffer.from(`${site.clientId}:${secret}`).toString('base64')}`,
    })
    const none = { client_secret: undefined, client_id: undefined }
    const fields = { grant_type: 'authorization_code', code, redirect_uri: SITE }
    const refused = [
      await site.token({ ...fields, client_secret: wrong }),
      await site.token({ ...fields, client_secret: undefined }),
      await site.token({ ...fields, ...none }, basic(wrong)),
      await site.token({ ...fields, client_id: '0199d2f4-5b1e-7c44-a1d3-3a6f0c2e9b57' }),
    ]
    for (const { status, body } of refused) expect([status, body.error]).toEqual([401, 'invalid_client'])
    expect(refused[2]?.headers.get('www-authenticate')).toMatch(/^Basic realm="http:\/\/portico\.test"/)
    // None of them used up the code.
    expect((await site.token({ ...fields, ...none }, basic(site.clientSecret))).status).toBe(200)
  })

  test('are not issued for the stored hash of a secret', async () => {
    const { site, person, server } = await signInFixture(providers)
    const { secret_hash } = await server.services.database.kysely
      .selectFrom('oauth_clients')
      .select('secret_hash')
      .where('application_id', '=', site.applicationId)
      .executeTakeFirstOrThrow()
    for (const client_secret of [secret_hash.toString('base64url'), secret_hash.toString('hex')]) {
      const answer = await site.exchange(await site.codeFor(person), { client_secret })
      expect(answer).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
    }
  })

  test('are issued once per code; a second use revokes them', async () => {
    const { site, person } = await signInFixture(providers)
    const code = await site.codeFor(person)
    const { access_token, refresh_token } = tokens(await site.exchange(code))
    expect(await works(site, access_token)).toBe(true)
    expect(await site.exchange(code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    expect(await works(site, access_token)).toBe(false)
    expect(await site.refresh(refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  })

  test('are issued for at most one of twelve concurrent uses of a code', async () => {
    const { site, person } = await signInFixture(providers)
    const code = await site.codeFor(person)
    const answers = await Promise.all(Array.from({ length: 12 }, () => site.exchange(code)))
    const won = answers.filter(({ status }) => status === 200)
    expect(won.length).toBeLessThanOrEqual(1)
    for (const { status, body } of answers) {
      if (status !== 200) expect([status, body.error]).toEqual([400, 'invalid_grant'])
    }
    // It was used twice, so the first tokens are revoked.
    for (const { body } of won) expect(await works(site, body.access_token)).toBe(false)
  })

  test('are issued for one of twelve concurrent uses of a refresh token, and the grant survives', async () => {
    const { site, person } = await signInFixture(providers)
    const { refresh_token } = await site.tokensFor(person)
    const answers = await Promise.all(Array.from({ length: 12 }, () => site.refresh(refresh_token)))
    const won = answers.filter(({ status }) => status === 200)
    expect(won).toHaveLength(1)
    for (const { status, body } of answers) {
      if (status !== 200) expect([status, body.error]).toEqual([400, 'invalid_grant'])
    }
    const { access_token, refresh_token: next } = tokens(won[0]!)
    expect(await works(site, access_token)).toBe(true)
    expect((await site.refresh(next)).status).toBe(200)
  })

  test('rotate; reusing an old refresh token is tolerated for 10 seconds and treated as theft after that', async () => {
    const { site, person, server } = await signInFixture(providers)
    const first = await site.tokensFor(person)
    const second = tokens(await site.refresh(first.refresh_token))
    expect(second.refresh_token).not.toBe(first.refresh_token)
    expect(second.access_token).not.toBe(first.access_token)
    expect(await works(site, first.access_token)).toBe(true)

    // Marked as used in half a minute, so that a busy machine doesn't turn it into theft.
    await ageSignIns(server, person, -30)
    expect(await site.refresh(first.refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    expect(await works(site, second.access_token)).toBe(true)

    await ageSignIns(server, person, 30 + LIMITS.refreshRace)
    expect(await site.refresh(first.refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    expect(await works(site, second.access_token)).toBe(false)
    expect((await site.refresh(second.refresh_token)).status).toBe(400)
  })

  test('have the documented lifetimes', async () => {
    const { site, person, server } = await signInFixture(providers)
    const code = await site.codeFor(person)
    await ageSignIns(server, person, LIMITS.codeLife)
    expect(await site.exchange(code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })

    const { access_token, refresh_token } = await site.tokensFor(person)
    await ageSignIns(server, person, LIMITS.accessTokenLife - 60)
    expect(await works(site, access_token)).toBe(true)
    await ageSignIns(server, person, 60)
    expect(await works(site, access_token)).toBe(false)
    expect((await site.userinfo(access_token)).status).toBe(401)

    await ageSignIns(server, person, 29 * DAY)
    const renewed = tokens(await site.refresh(refresh_token))
    expect(await works(site, renewed.access_token)).toBe(true)
    await ageSignIns(server, person, 30 * DAY)
    expect(await site.refresh(renewed.refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  })

  test('can be renewed for a year', async () => {
    const { site, person, server } = await signInFixture(providers)
    let { refresh_token } = await site.tokensFor(person)
    for (let day = 0; day < 360; day += 24) {
      await ageSignIns(server, person, 24 * DAY)
      ;({ refresh_token } = tokens(await site.refresh(refresh_token)))
    }
    const last = tokens(await site.refresh(refresh_token))
    await ageSignIns(server, person, 5 * DAY)
    expect(await site.refresh(last.refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    expect(await works(site, last.access_token)).toBe(false)
  })

  test('require a matching PKCE verifier if there is a challenge', async () => {
    const { site, person } = await signInFixture(providers)
    const code_verifier = randomBytes(32).toString('base64url')
    const code_challenge = createHash('sha256').update(code_verifier).digest('base64url')
    const challenged = { code_challenge, code_challenge_method: 'S256' }
    const code = await site.codeFor(person, challenged)
    for (const wrong of [undefined, randomBytes(32).toString('base64url')]) {
      const answer = await site.exchange(code, { code_verifier: wrong })
      expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    }
    expect((await site.exchange(code, { code_verifier })).status).toBe(200)
    // A verifier for a code without a challenge is rejected.
    const plain = await site.exchange(await site.codeFor(person), { code_verifier })
    expect(plain).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  })

  test('require the client and redirect URI of the code', async () => {
    const { site, person, at, owner } = await signInFixture(providers)
    const other = await Website.of(at, owner)
    const code = await site.codeFor(person)
    expect(await other.exchange(code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    const elsewhere = await site.exchange(code, { redirect_uri: 'https://harbour.example/' })
    expect(elsewhere).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    const { access_token, refresh_token } = tokens(await site.exchange(code))
    expect((await other.refresh(refresh_token)).status).toBe(400)
    expect((await other.introspect(access_token)).body).toEqual({ active: false })
    await other.revoke(access_token)
    expect(await works(site, access_token)).toBe(true)
  })

  test('survive a new client secret', async () => {
    const { site, person, owner, oauth } = await signInFixture(providers)
    const { access_token, refresh_token } = await site.tokensFor(person)
    const { clientSecret } = expectOk(await owner.post<{ clientSecret: string }>(`${oauth}/secret`))
    expect(await site.refresh(refresh_token)).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
    site.clientSecret = clientSecret
    expect(await works(site, access_token)).toBe(true)
    expect((await site.refresh(refresh_token)).status).toBe(200)
  })

  test('are revoked when the person withdraws their consent, with any pending code', async () => {
    const { site, person } = await signInFixture(providers)
    const { access_token, refresh_token } = await site.tokensFor(person)
    const code = await site.codeFor(person)
    expectOk(await person.delete(`/account/consents/${site.applicationId}`))
    expect((await site.api('/users/@me', access_token)).status).toBe(401)
    expect((await site.userinfo(access_token)).status).toBe(401)
    expect((await site.introspect(access_token)).body).toEqual({ active: false })
    expect(await site.refresh(refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    expect(await site.exchange(code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    // They are asked for consent again.
    const page = await site.browserOf(person).open(site.authorizeUrl())
    expect(page.url.pathname).toMatch(/^\/oauth\/interaction\//)
  })

  test('are revoked when sign-in is turned off, and stay revoked when it is turned on again', async () => {
    const { site, person, owner, oauth } = await signInFixture(providers)
    const { access_token, refresh_token } = await site.tokensFor(person)
    const code = await site.codeFor(person)
    expectOk(await owner.delete(oauth))
    expect((await site.api('/users/@me', access_token)).status).toBe(401)
    expect(await site.exchange(code)).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
    expect(await site.refresh(refresh_token)).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
    expect(await site.introspect(access_token)).toMatchObject({ status: 401 })
    site.clientSecret = expectOk(await owner.put<{ clientSecret: string }>(oauth, { redirectUri: SITE })).clientSecret
    expect((await site.api('/users/@me', access_token)).status).toBe(401)
    expect(await site.exchange(code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    expect(await site.refresh(refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    expect(expectOk(await person.get('/account/consents'))).toEqual({ consents: [] })
  })

  test('are deleted with their application', async () => {
    const { site, person, owner } = await signInFixture(providers)
    const { access_token } = await site.tokensFor(person)
    expectOk(await owner.delete(`/applications/${site.applicationId}`, { name: 'Fleet' }))
    expect((await site.api('/users/@me', access_token)).status).toBe(401)
  })

  test('can be revoked by the website, one sign-in with all its tokens', async () => {
    const { site, person } = await signInFixture(providers)
    for (const kind of ['access_token', 'refresh_token'] as const) {
      const got = await site.tokensFor(person)
      const answer = await site.revoke(got[kind])
      expect(answer.status).toBe(200)
      expect(await works(site, got.access_token)).toBe(false)
      expect((await site.refresh(got.refresh_token)).status).toBe(400)
      expect((await site.revoke(got[kind])).status).toBe(200)
    }
  })

  test('survive the portal session of their sign-in', async () => {
    const { site, person } = await signInFixture(providers)
    const { access_token, refresh_token } = await site.tokensFor(person)
    expectOk(await person.delete('/sessions/current'))
    expect(await works(site, access_token)).toBe(true)
    expect((await site.refresh(refresh_token)).status).toBe(200)
  })

  test('may be narrowed when they are renewed, never widened', async () => {
    const { site, person } = await signInFixture(providers)
    const { refresh_token } = await site.tokensFor(person, { scope: 'openid service.identify' })
    expect(await site.refresh(refresh_token, { scope: EVERYTHING })).toMatchObject({
      status: 400,
      body: { error: 'invalid_scope' },
    })
    expect(tokens(await site.refresh(refresh_token, { scope: 'openid' })).scope).toBe('openid')
  })
})

test('tokens of a disabled person do not work until the person is enabled', async () => {
  const { site, person, server } = await signInFixture()
  const { access_token, refresh_token } = await site.tokensFor(person)
  const setDisabled = async (disabled_at: string | null): Promise<void> => {
    const { kysely } = server.services.database
    await kysely.updateTable('accounts').set({ disabled_at }).where('id', '=', person.id).execute()
  }
  await setDisabled(new Date().toISOString())
  expect((await site.api('/users/@me', access_token)).status).toBe(401)
  expect((await site.userinfo(access_token)).status).toBe(401)
  expect(await site.refresh(refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  await setDisabled(null)
  expect((await site.api('/users/@me', access_token)).status).toBe(200)
  expect((await site.refresh(refresh_token)).status).toBe(200)
})
