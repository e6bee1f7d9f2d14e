import { describe, expect, test } from 'vitest'
import { expectOk } from '../../test/expect-ok.ts'
import { signInFixture } from '../../test/sign-in-fixture.ts'
import { tokens, type Tokens } from '../../test/website.ts'

describe('the scopes of a sign-in', () => {
  test.each([
    ['mod_auth_openidc, Authlib and requests-oauthlib', 'openid profile', 'openid profile'],
    ['oauth2-proxy', 'openid email profile', 'openid profile'],
    ['a library that asks for offline access', 'openid profile email offline_access', 'openid profile'],
    ['both names of one scope', 'profile service.identify', 'profile service.identify'],
  ])('are the same when %s repeats them at a refresh', async (_library, scope, granted) => {
    const { site, person } = await signInFixture()
    const first = await site.tokensFor(person, { scope })
    // requests-oauthlib refuses tokens whose scope is another set than the requested one.
    expect(first.scope).toBe(granted)
    let current: Tokens = first
    for (let time = 0; time < 2; time += 1) {
      current = tokens(await site.refresh(current.refresh_token, { scope }))
      expect(current.scope).toBe(granted)
    }
    expect(expectOk(await site.api('/users/@me', current.access_token))).toMatchObject({
      id: person.id,
      name: person.name,
    })
    expect(expectOk(await person.get('/account/consents'))).toMatchObject({
      consents: [{ scopes: expect.arrayContaining(['service.identify']) }],
    })
  })

  test('“profile” gives what “service.identify” gives, and never an e-mail', async () => {
    const { site, person } = await signInFixture()
    const { access_token, id_token = '' } = await site.tokensFor(person, { scope: 'openid profile email' })
    const claims = JSON.parse(Buffer.from(id_token.split('.')[1] ?? '', 'base64url').toString()) as object
    const picture = expect.stringContaining('/media/avatars/')
    expect(claims).toMatchObject({ sub: person.id, name: person.name, picture })
    expect(claims).not.toHaveProperty('email')
    expect(expectOk(await site.userinfo(access_token))).toEqual({ sub: person.id, name: person.name, picture })
    expect(expectOk(await site.api('/users/@me', access_token))).toMatchObject({
      scopes: ['openid', 'service.identify'],
    })
    // The consent covers the other name as well.
    const { url } = await site.browserOf(person).open(site.authorizeUrl({ scope: 'openid service.identify' }))
    expect(url.searchParams.has('code')).toBe(true)
  })

  test.each([
    ['service.identify', 'profile'],
    ['profile', 'service.identify'],
  ])('granted as “%s” can be refreshed as “%s”', async (granted, requested) => {
    const { site, person } = await signInFixture()
    const { refresh_token } = await site.tokensFor(person, { scope: `openid ${granted}` })
    const renewed = tokens(await site.refresh(refresh_token, { scope: `openid ${requested} email` }))
    expect(renewed.scope).toBe(`openid ${granted}`)
  })

  test.each(['email offline_access', 'openid profile service.channels.read'])(
    'can’t be refreshed as “%s”: none of it is known, or more than was granted',
    async (scope) => {
      const { site, person } = await signInFixture()
      const { refresh_token } = await site.tokensFor(person, { scope: 'openid profile' })
      expect(await site.refresh(refresh_token, { scope })).toMatchObject({
        status: 400,
        body: { error: 'invalid_scope' },
      })
      // It was not used up.
      expect((await site.refresh(refresh_token)).status).toBe(200)
    },
  )
})
