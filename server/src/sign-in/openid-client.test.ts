import * as openid from 'openid-client'
import { describe, expect, test } from 'vitest'
import { signInFixture } from '../../test/sign-in-fixture.ts'
import { EVERYTHING, SITE, type Portal } from '../../test/website.ts'
import { expectOk } from '../../test/channel-fixture.ts'

/** The unmodified library, except that it resolves an address that exists only in this test. */
async function discovered(at: Portal, clientId: string, secret: string, auth?: openid.ClientAuth) {
  const reach: openid.CustomFetch = (url, options) => {
    const { method, headers, body } = options
    return fetch(url.replace(at.publicUrl, at.addressOf()), {
      method,
      headers,
      ...(body && { body: body as string }),
    })
  }
  return openid.discovery(new URL(at.publicUrl), clientId, secret, auth, {
    execute: [openid.allowInsecureRequests],
    [openid.customFetch]: reach,
  })
}

describe.each([1, 2] as const)('openid-client on %i provider(s)', (providers) => {
  test.each([
    ['the secret in the body', (secret: string) => openid.ClientSecretPost(secret)],
    ['HTTP Basic', (secret: string) => openid.ClientSecretBasic(secret)],
  ])('signs a person in with OpenID Connect, %s', async (_how, auth) => {
    const { site, person, at } = await signInFixture(providers)
    const config = await discovered(at, site.clientId, site.clientSecret, auth(site.clientSecret))
    const pkceCodeVerifier = openid.randomPKCECodeVerifier()
    const expectedState = openid.randomState()
    const expectedNonce = openid.randomNonce()
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri: SITE,
      scope: EVERYTHING,
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      state: expectedState,
      nonce: expectedNonce,
    })
    const back = await site.visit(site.browserOf(person), Object.fromEntries(url.searchParams))
    const checks = { pkceCodeVerifier, expectedState, expectedNonce }
    const tokens = await openid.authorizationCodeGrant(config, back, checks)
    expect(tokens.claims()).toMatchObject({
      iss: at.publicUrl,
      sub: person.id,
      aud: site.clientId,
      name: person.name,
      nonce: expectedNonce,
      picture: `${at.publicUrl}/media/avatars/${person.id}.svg?v=1`,
    })
    expect(tokens.expires_in).toBe(3600)
    expect(await openid.fetchUserInfo(config, tokens.access_token, person.id)).toMatchObject({
      sub: person.id,
      name: person.name,
    })
    expect(expectOk(await site.api('/users/@me', tokens.access_token))).toMatchObject({ id: person.id })

    const renewed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '')
    expect(renewed.claims()?.sub).toBe(person.id)
    expect(await openid.tokenIntrospection(config, renewed.access_token)).toMatchObject({
      active: true,
      sub: person.id,
      client_id: site.clientId,
      scope: EVERYTHING,
    })
    await openid.tokenRevocation(config, renewed.refresh_token ?? '')
    expect(await openid.tokenIntrospection(config, renewed.access_token)).toMatchObject({ active: false })
  })

  test('signs a person in with default scopes, by form_post', async () => {
    const { site, person, at } = await signInFixture(providers)
    const config = await discovered(at, site.clientId, site.clientSecret)
    const scope = 'openid profile email offline_access'
    const url = openid.buildAuthorizationUrl(config, { redirect_uri: SITE, scope, response_mode: 'form_post' })
    const browser = site.browserOf(person)
    await site.visit(browser, { scope })
    const page = await browser.open(url)
    const inputs = page.text.matchAll(/name="(\w+)" value="([^"]*)"/g)
    const body = new URLSearchParams([...inputs].map(([, name = '', value = '']): [string, string] => [name, value]))
    const request = new Request(SITE, { method: 'POST', body })
    const tokens = await openid.authorizationCodeGrant(config, request)
    expect(tokens.claims()).toMatchObject({ sub: person.id, name: person.name })
    expect(tokens.claims()).not.toHaveProperty('email')
    expect(await openid.fetchUserInfo(config, tokens.access_token, person.id)).toMatchObject({ name: person.name })
  })

  test('signs a person in with plain OAuth', async () => {
    const { site, person, at } = await signInFixture(providers)
    const config = await discovered(at, site.clientId, site.clientSecret)
    const back = await site.visit(site.browserOf(person), { scope: 'service.identify', state: 'one' })
    const tokens = await openid.authorizationCodeGrant(config, back, { expectedState: 'one' })
    expect(tokens.claims()).toBeUndefined()
    expect(expectOk(await site.api('/users/@me', tokens.access_token))).toMatchObject({ id: person.id })
  })

  test('reports a denied consent and a used code', async () => {
    const { site, person, at } = await signInFixture(providers)
    const config = await discovered(at, site.clientId, site.clientSecret)
    const browser = site.browserOf(person)
    const page = await browser.open(site.authorizeUrl({ state: 'two' }))
    const { url } = await browser.open(expectOk(await browser.answer<{ location: string }>(page, 'deny')).location)
    await expect(openid.authorizationCodeGrant(config, url, { expectedState: 'two' })).rejects.toMatchObject({
      error: 'access_denied',
    })
    const back = await site.visit(browser, { state: 'three' })
    await openid.authorizationCodeGrant(config, back, { expectedState: 'three' })
    await expect(openid.authorizationCodeGrant(config, back, { expectedState: 'three' })).rejects.toMatchObject({
      error: 'invalid_grant',
    })
  })
})
