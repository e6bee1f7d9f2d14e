import { expect, test } from 'vitest'
import { signInFixture } from '../../test/sign-in-fixture.ts'
import { allowed, SITE, tokens } from '../../test/website.ts'
import { expectOk } from '../../test/channel-fixture.ts'

interface Discovery {
  readonly response_modes_supported: string[]
  readonly claims_supported: string[]
  readonly scopes_supported: string[]
}

test.each(['openid-configuration', 'oauth-authorization-server'])(
  '%s lists exactly what is supported',
  async (name) => {
    const { site, person, server } = await signInFixture()
    const response = await fetch(`${server.url}/.well-known/${name}`)
    const discovery = (await response.json()) as Discovery
    expect(discovery.response_modes_supported).toEqual(['query', 'form_post'])
    expect(discovery.scopes_supported).toEqual(['openid', 'service.identify', 'service.channels.read', 'profile'])

    const { id_token = '', access_token } = await site.tokensFor(person, { nonce: 'n', max_age: '3600' })
    const claims = JSON.parse(Buffer.from(id_token.split('.')[1] ?? '', 'base64url').toString()) as object
    const userinfo = expectOk(await site.userinfo<object>(access_token))
    const served = new Set([...Object.keys(claims), ...Object.keys(userinfo)])
    expect(discovery.claims_supported.toSorted()).toEqual([...served].toSorted())
  },
)

test('a missing response type is named in the error', async () => {
  const { site, person } = await signInFixture()
  const { url } = await site.browserOf(person).open(site.authorizeUrl({ response_type: undefined }))
  expect(url.searchParams.get('error_description')).toBe("missing required parameter 'response_type'")
})

test('form_post answers with a page that may submit itself to the website', async () => {
  const { site, person } = await signInFixture()
  const browser = site.browserOf(person)
  await site.visit(browser)
  const page = await browser.open(site.authorizeUrl({ response_mode: 'form_post', state: '"<kept>' }))
  expect(page.status).toBe(200)
  expect(page.text).toContain(`<form method="post" action="${SITE}">`)
  expect(page.text).toContain('name="state" value="&quot;&lt;kept&gt;"')
  const policy = page.headers.get('content-security-policy') ?? ''
  expect(policy).toMatch(/script-src 'sha256-[\w+/]{43}='/)
  expect(policy).toContain("default-src 'none'")
  expect(policy).not.toContain('form-action')
  const code = /name="code" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
  expect((await site.exchange(code)).status).toBe(200)
})

test('form_post returns errors too', async () => {
  const { site, person } = await signInFixture()
  const fields = { response_mode: 'form_post', prompt: 'none', state: 'kept' }
  const page = await site.browserOf(person).open(site.authorizeUrl(fields))
  expect(page.text).toContain(`<form method="post" action="${SITE}">`)
  expect(page.text).toContain('name="error" value="consent_required"')
  expect(page.text).toContain('name="state" value="kept"')
})

test('an authorization request may be POSTed as a form', async () => {
  const { site, person } = await signInFixture()
  const browser = site.browserOf(person)
  const { pathname, searchParams } = new URL(site.authorizeUrl({ state: 'posted & kept' }))
  const back = await allowed(browser, await browser.submit(pathname, searchParams))
  expect(back.origin + back.pathname).toBe(SITE)
  expect(back.searchParams.get('state')).toBe('posted & kept')
  expect((await site.exchange(back.searchParams.get('code') ?? '')).status).toBe(200)
})

test.each([
  ['application/json', '{}'],
  ['application/x-www-form-urlencoded', 'state='.padEnd(9000, 'a')],
])('a posted request of type %s that is no short form is refused', async (type, body) => {
  const { server } = await signInFixture()
  const init = { method: 'POST', redirect: 'manual', headers: { 'content-type': type }, body } as const
  const response = await fetch(`${server.url}/oauth/authorize`, init)
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ field: 'body' })
})

test('default scopes of OIDC libraries are accepted', async () => {
  const { site, person } = await signInFixture()
  const got = await site.tokensFor(person, { scope: 'openid profile email offline_access' })
  expect(got.scope).toBe('openid profile')
  expect(expectOk(await site.userinfo(got.access_token))).toEqual({
    sub: person.id,
    name: person.name,
    picture: expect.stringContaining(`/media/avatars/${person.id}`),
  })
  expect(expectOk(await site.api('/users/@me', got.access_token))).toMatchObject({
    scopes: ['openid', 'service.identify'],
  })
  expect(tokens(await site.refresh(got.refresh_token)).scope).toBe('openid profile')
})
