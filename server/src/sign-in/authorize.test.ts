import type { SignInQuestion } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { expectRefusal } from '../../test/expect-refusal.ts'
import { queryDatabaseOf } from '../../test/query-database.ts'
import { signInFixture } from '../../test/sign-in-fixture.ts'
import { allowed, EVERYTHING, SITE, tokens, Website } from '../../test/website.ts'
import { expectOk } from '../../test/channel-fixture.ts'
import { findSession } from '../accounts/find-session.ts'

const stepOf = async (...[browser, page]: Parameters<typeof allowed>): Promise<SignInQuestion['step']> =>
  expectOk(await browser.ask<SignInQuestion>(page, 'question')).step

describe.each([1, 2] as const)('a sign-in on %i provider(s)', (providers) => {
  test('asks for consent and returns a code and the state', async () => {
    const { site, person, owner } = await signInFixture(providers)
    const browser = site.browserOf(person)
    const page = await browser.open(site.authorizeUrl({ state: 'from here' }))
    expect(page.url.pathname).toMatch(/^\/oauth\/interaction\/[\w-]+$/)

    expect(expectOk(await browser.ask(page, 'question'))).toEqual({
      step: 'consent',
      application: expect.objectContaining({ name: 'Fleet', owner: { id: owner.id, name: owner.name } }),
      site: 'fleet.example',
      scopes: EVERYTHING.split(' '),
      account: expect.objectContaining({ id: person.id, name: person.name }),
    })
    const back = await allowed(browser, page)
    expect(back.origin + back.pathname).toBe(SITE)
    expect(Object.fromEntries(back.searchParams)).toEqual({
      code: expect.any(String),
      state: 'from here',
      iss: 'http://portico.test',
    })
  })

  test('returns access_denied and the state when denied, and stores no consent', async () => {
    const { site, person } = await signInFixture(providers)
    const browser = site.browserOf(person)
    const page = await browser.open(site.authorizeUrl({ state: 'from here' }))
    const { location } = expectOk(await browser.answer<{ location: string }>(page, 'deny'))
    const { url } = await browser.open(location)
    expect(url.origin + url.pathname).toBe(SITE)
    expect(Object.fromEntries(url.searchParams)).toMatchObject({ error: 'access_denied', state: 'from here' })
    expect(url.searchParams.has('code')).toBe(false)
    expect(expectOk(await person.get('/account/consents'))).toEqual({ consents: [] })
  })

  test('remembers the consent for the same or fewer scopes, and asks again for more', async () => {
    const { site, person } = await signInFixture(providers)
    await site.codeFor(person, { scope: 'openid service.identify' })
    for (const scope of ['openid service.identify', 'service.identify', 'openid']) {
      const { url } = await site.browserOf(person).open(site.authorizeUrl({ scope }))
      expect(url.searchParams.has('code'), scope).toBe(true)
    }
    const browser = site.browserOf(person)
    const page = await browser.open(site.authorizeUrl({ scope: EVERYTHING }))
    expect(await stepOf(browser, page)).toBe('consent')
    await allowed(browser, page)
    const { url } = await site.browserOf(person).open(site.authorizeUrl({ scope: EVERYTHING }))
    expect(url.searchParams.has('code')).toBe(true)
  })

  test('gives every sign-in its own tokens, only for the requested scopes', async () => {
    const { site, person } = await signInFixture(providers)
    const whole = await site.tokensFor(person)
    const less = await site.tokensFor(person, { scope: 'service.identify' })
    expect(less.scope).toBe('service.identify')
    expectOk(await site.revoke(less.refresh_token))
    expect((await site.api('/users/@me', whole.access_token)).status).toBe(200)
    expect((await site.api('/users/@me', less.access_token)).status).toBe(401)
  })

  test('asks for consent again if the website requests it', async () => {
    const { site, person } = await signInFixture(providers)
    await site.codeFor(person)
    const browser = site.browserOf(person)
    expect(await stepOf(browser, await browser.open(site.authorizeUrl({ prompt: 'consent' })))).toBe('consent')
  })

  test('continues after the person has signed in, and stores nothing before', async () => {
    const { site, person, server } = await signInFixture(providers)
    const stored = async (): Promise<unknown> => {
      const [row] = await queryDatabaseOf(
        server,
        'SELECT (SELECT count(*)::int FROM oauth_interactions) AS interactions, (SELECT count(*)::int FROM oauth_sessions) AS visits',
      )
      return row
    }
    const before = await stored()
    const browser = site.browserOf(undefined)
    const fields = { state: 'kept & "all"', nonce: 'n', prompt: 'login select_account consent' }
    const page = await browser.open(site.authorizeUrl(fields))
    expect(page.url.pathname).toBe('/sign-in')
    const next = page.url.searchParams.get('next') ?? ''
    expect(await stored()).toEqual(before)
    const website = await browser.open(next.replace('/oauth/authorize', '/oauth/question'))
    expect(JSON.parse(website.text)).toMatchObject({ step: 'sign-in', application: { name: 'Fleet' }, account: null })

    // They have just signed in and chosen an account: only the consent is left.
    const consent = await browser.become(person).open(next)
    expect(await stepOf(browser, consent)).toBe('consent')
    const back = await allowed(browser, consent)
    expect(back.searchParams.get('state')).toBe(fields.state)
    const { access_token } = tokens(await site.exchange(back.searchParams.get('code') ?? ''))
    expect(expectOk(await site.api('/users/@me', access_token))).toMatchObject({ id: person.id })
  })

  test('is for the person who is signed in to the portal now', async () => {
    const { site, person, newPerson } = await signInFixture(providers)
    const other = await newPerson()
    const browser = site.browserOf(person)
    await site.visit(browser)

    browser.become(other)
    const page = await browser.open(site.authorizeUrl())
    expect(expectOk(await browser.ask(page, 'question'))).toMatchObject({ step: 'consent', account: { id: other.id } })
    const code = (await allowed(browser, page)).searchParams.get('code') ?? ''
    const { access_token } = tokens(await site.exchange(code))
    expect(expectOk(await site.api('/users/@me', access_token))).toMatchObject({ id: other.id })

    browser.become(undefined)
    expect((await browser.open(site.authorizeUrl())).url.pathname).toBe('/sign-in')
  })

  test('starts over when the account is switched before the answer', async () => {
    const { site, person, newPerson } = await signInFixture(providers)
    const other = await newPerson()
    const browser = site.browserOf(person)
    const page = await browser.open(site.authorizeUrl())
    browser.become(other)
    expect(await stepOf(browser, page)).toBe('continue')
    expectRefusal(await browser.answer(page, 'allow'), 'unprocessable', { reason: 'sign_in_changed' })
    const code = (await allowed(browser, page)).searchParams.get('code') ?? ''
    const { access_token } = tokens(await site.exchange(code))
    expect(expectOk(await site.api('/users/@me', access_token))).toMatchObject({ id: other.id })
    expect(expectOk(await person.get('/account/consents'))).toEqual({ consents: [] })
  })

  test('with prompt=select_account shows which account it is for, also after consent', async () => {
    const { site, person, newPerson } = await signInFixture(providers)
    await site.codeFor(person)
    const browser = site.browserOf(person)
    const page = await browser.open(site.authorizeUrl({ prompt: 'select_account', state: 'kept' }))
    expect(expectOk(await browser.ask(page, 'question'))).toMatchObject({
      step: 'select-account',
      account: { id: person.id },
    })
    const { location } = expectOk(await browser.answer<{ location: string }>(page, 'continue'))
    const { url } = await browser.open(location)
    expect(Object.fromEntries(url.searchParams)).toMatchObject({ code: expect.any(String), state: 'kept' })

    // Another account can be chosen instead. It isn't requested once more.
    const other = await newPerson()
    const again = await browser.open(site.authorizeUrl({ prompt: 'select_account' }))
    browser.become(other)
    expect(await stepOf(browser, again)).toBe('continue')
    const next = expectOk(await browser.answer<{ location: string }>(again, 'continue'))
    const consent = await browser.open(next.location)
    expect(expectOk(await browser.ask(consent, 'question'))).toMatchObject({
      step: 'consent',
      account: { id: other.id },
    })
  })

  test('with prompt=none answers login_required, consent_required or a code', async () => {
    const { site, person } = await signInFixture(providers)
    const silent = async (whose?: typeof person) =>
      Object.fromEntries((await site.browserOf(whose).open(site.authorizeUrl({ prompt: 'none' }))).url.searchParams)
    expect(await silent()).toMatchObject({ error: 'login_required' })
    expect(await silent(person)).toMatchObject({ error: 'consent_required' })
    await site.codeFor(person)
    expect(await silent(person)).toMatchObject({ code: expect.any(String) })
  })

  test.each([{ prompt: 'login' }, { max_age: '0' }])(
    'with %j wants the person to sign in once more',
    async (fields) => {
      const { site, person, server } = await signInFixture(providers)
      await site.codeFor(person)
      const { services } = server
      // The session is an hour old.
      const began = new Date(Date.now() - 3_600_000).toISOString()
      await services.database.kysely
        .updateTable('sessions')
        .set({ created_at: began })
        .where('account_id', '=', person.id)
        .execute()

      const browser = site.browserOf(person)
      const page = await browser.open(site.authorizeUrl(fields))
      expect(await stepOf(browser, page)).toBe('sign-in-again')
      expectRefusal(await browser.answer(page, 'continue'), 'unprocessable', { reason: 'sign_in_changed' })
      expectOk(await person.post('/sessions', { name: person.name, password: person.password }))
      browser.become(person)
      const back = await allowed(browser, page)
      const { id_token = '' } = tokens(await site.exchange(back.searchParams.get('code') ?? ''))
      const session = await findSession(services, person.cookie.split('=')[1] ?? '')
      const claims = JSON.parse(Buffer.from(id_token.split('.')[1] ?? '', 'base64url').toString())
      if ('max_age' in fields) expect(claims.auth_time).toBe(Math.floor(Date.parse(session?.signedInAt ?? '') / 1000))
    },
  )

  test.each([
    ['a client that is not there', { client_id: '0199d2f4-5b1e-7c44-a1d3-3a6f0c2e9b57' }],
    ['a client_id that is none', { client_id: 'fleet' }],
    ['no client_id', { client_id: undefined }],
    ['an address that is not registered', { redirect_uri: 'https://harbour.example/signed-in' }],
    ['the registered address with something behind it', { redirect_uri: `${SITE}/more` }],
    ['the registered address in capitals', { redirect_uri: 'https://FLEET.example/signed-in' }],
    ['the registered address with a query', { redirect_uri: `${SITE}?from=us` }],
    ['no address', { redirect_uri: undefined }],
  ])('with %s shows an error page and sends nobody anywhere', async (_what, fields) => {
    const { site, person } = await signInFixture(providers)
    await site.codeFor(person)
    const page = await site.browserOf(person).open(site.authorizeUrl(fields))
    expect(page.status).toBe(400)
    expect(page.url.pathname).toBe('/oauth/authorize')
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.headers.has('location')).toBe(false)
    expect(page.text).toContain('<meta name="sign-in-error" content="invalid_')
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  })

  test.each([
    ['only unknown scopes', { scope: 'email offline_access' }, 'invalid_scope'],
    ['no scope', { scope: undefined }, 'invalid_scope'],
    ['no response type', { response_type: undefined }, 'invalid_request'],
    ['another response type', { response_type: 'none' }, 'unsupported_response_type'],
    ['the response type of the implicit flow', { response_type: 'token' }, 'unsupported_response_type'],
    ['a hybrid response type', { response_type: 'code id_token', nonce: 'n' }, 'unsupported_response_type'],
    ['the response mode fragment', { response_mode: 'fragment' }, 'invalid_request'],
    ['an unknown response mode', { response_mode: 'web_message' }, 'unsupported_response_mode'],
    ['plain PKCE', { code_challenge: 'a'.repeat(43), code_challenge_method: 'plain' }, 'invalid_request'],
    ['a nonce without openid', { scope: 'service.identify', nonce: 'n' }, 'invalid_request'],
  ])('with %s comes back with the error and the state', async (_what, fields, error) => {
    const { site, person } = await signInFixture(providers)
    const { url } = await site.browserOf(person).open(site.authorizeUrl({ ...fields, state: 'kept' }))
    expect(url.origin + url.pathname).toBe(SITE)
    expect(Object.fromEntries(url.searchParams)).toMatchObject({ error, state: 'kept' })
  })
})

describe('the sign-in interaction', () => {
  test('belongs to the browser that started it', async () => {
    const { site, person, newPerson } = await signInFixture()
    const page = await site.browserOf(await newPerson()).open(site.authorizeUrl())
    const victim = site.browserOf(person)
    for (const answer of [await victim.ask(page, 'question'), await victim.answer(page, 'allow')]) {
      expectRefusal(answer, 'unprocessable', { reason: 'sign_in_over' })
    }
    // An interaction of their own doesn't let them answer another one.
    await victim.open(site.authorizeUrl())
    expectRefusal(await victim.answer(page, 'allow'), 'unprocessable', { reason: 'sign_in_over' })
  })

  test('accepts answers only from the portal’s pages', async () => {
    const { site, person } = await signInFixture()
    const browser = site.browserOf(person)
    const page = await browser.open(site.authorizeUrl())
    const foreign = await browser.answer(page, 'allow', { origin: 'https://harbour.example' })
    expectRefusal(foreign, 'forbidden', { reason: 'foreign_origin' })
  })

  test('can be answered once', async () => {
    const { site, person } = await signInFixture()
    const browser = site.browserOf(person)
    const page = await browser.open(site.authorizeUrl())
    await allowed(browser, page)
    expectRefusal(await browser.answer(page, 'allow'), 'unprocessable', { reason: 'sign_in_over' })
  })

  test('expires after an hour', async () => {
    const { site, person, server } = await signInFixture()
    const browser = site.browserOf(person)
    const page = await browser.open(site.authorizeUrl())
    await queryDatabaseOf(server, `UPDATE oauth_interactions SET expires_at = now() - interval '1 second'`)
    expectRefusal(await browser.ask(page, 'question'), 'unprocessable', { reason: 'sign_in_over' })
  })

  test('fails when sign-in is revoked before the answer', async () => {
    const { site, person, owner, oauth } = await signInFixture()
    const browser = site.browserOf(person)
    const page = await browser.open(site.authorizeUrl())
    expectOk(await owner.delete(oauth))
    for (const answer of [await browser.ask(page, 'question'), await browser.answer(page, 'allow')]) {
      expectRefusal(answer, 'unprocessable', { reason: 'sign_in_switched_off' })
    }
    const resumed = await browser.open(page.url.pathname.replace('interaction', 'authorize'))
    expect(resumed).toMatchObject({ status: 400 })
    expect(resumed.url.origin).toBe('http://portico.test')
  })

  test('fails when sign-in is revoked between the answer and the redirect', async () => {
    const { site, person, owner, oauth } = await signInFixture()
    const browser = site.browserOf(person)
    const page = await browser.open(site.authorizeUrl())
    const { location } = expectOk(await browser.answer<{ location: string }>(page, 'allow'))
    expectOk(await owner.delete(oauth))
    expect(await browser.open(location)).toMatchObject({ status: 400, url: { host: 'portico.test' } })
  })
})

test('an application on localhost is redirected only to its registered port', async () => {
  const { at, owner, person } = await signInFixture()
  const redirect_uri = 'http://localhost:4321/back'
  const site = await Website.of(at, owner, redirect_uri)
  const browser = site.browserOf(person)
  const other = await browser.open(site.authorizeUrl({ redirect_uri: 'http://localhost:4322/back' }))
  expect(other.status).toBe(400)
  const back = await site.visit(browser, { redirect_uri })
  expect(back.origin + back.pathname).toBe(redirect_uri)
  expect((await site.exchange(back.searchParams.get('code') ?? '', { redirect_uri })).status).toBe(200)
})
