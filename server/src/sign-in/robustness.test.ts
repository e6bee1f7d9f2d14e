import { request } from 'node:http'
import { describe, expect, test } from 'vitest'
import { startPortico } from '../../test/portico-process.ts'
import { Person } from '../../test/person.ts'
import { signInFixture } from '../../test/sign-in-fixture.ts'
import { testDatabase } from '../../test/database.ts'
import { dataFolder } from '../../test/data-folder.ts'
import { freePort } from '../../test/free-port.ts'
import { queryDatabase, queryDatabaseOf } from '../../test/query-database.ts'
import { SITE, tokens, Website } from '../../test/website.ts'
import { openSecret } from '../secrets/secret.ts'
import { setUpCode } from '../accounts/set-up.ts'
import { openSignInKeys } from './sign-in-keys.ts'
import { silentLog } from '../../test/silent-log.ts'

const HOSTILE = ['\0', 'a\0b', '\u0001', '\ud800', '\u{1f9ed}', "'; DROP TABLE accounts --", '%00', '[object Object]']

describe('hostile input', () => {
  test.each([
    'client_id',
    'redirect_uri',
    'scope',
    'state',
    'nonce',
    'prompt',
    'max_age',
    'id_token_hint',
    'login_hint',
  ])('in %s of the authorization endpoint is not an internal error', async (field) => {
    const { site, person } = await signInFixture()
    for (const value of HOSTILE) {
      const page = await site.browserOf(person).open(site.authorizeUrl({ [field]: value.toWellFormed() }))
      expect(page.status, JSON.stringify(value)).toBeLessThan(500)
      expect(page.url.searchParams.get('error'), JSON.stringify(value)).not.toBe('server_error')
    }
  })

  test('in the state is returned unchanged, including zero bytes', async () => {
    const { site, person } = await signInFixture()
    for (const state of ['a\0b', '🧭 <b>&"', 'x'.repeat(4000)]) {
      expect((await site.visit(site.browserOf(person), { state })).searchParams.get('state')).toBe(state)
    }
  })

  test.each(['code', 'redirect_uri', 'client_id', 'client_secret', 'code_verifier', 'refresh_token', 'grant_type'])(
    'in %s of the token address is answered with an error of OAuth',
    async (field) => {
      const { site } = await signInFixture()
      for (const value of HOSTILE) {
        const kind = field === 'refresh_token' ? 'refresh_token' : 'authorization_code'
        const fields = { grant_type: kind, code: 'c', redirect_uri: SITE, [field]: value.toWellFormed() }
        const { status, body } = await site.token(fields)
        expect([400, 401], JSON.stringify(value)).toContain(status)
        expect(body.error).toMatch(/^(invalid_\w+|unsupported_grant_type)$/)
      }
    },
  )

  test('in a token is answered like an unknown token', async () => {
    const { site } = await signInFixture()
    for (const token of HOSTILE.map((value) => value.toWellFormed())) {
      expect(await site.introspect(token)).toMatchObject({ status: 200, body: { active: false } })
      expect((await site.revoke(token)).status).toBe(200)
    }
  })

  test('in other content types is answered in JSON, whatever is accepted', async () => {
    const { server } = await signInFixture()
    const bodies: [string, string][] = [
      ['application/json', '{"grant_type":"authorization_code"}'],
      ['application/json', '{'],
      ['text/plain', 'hello'],
      ['application/x-www-form-urlencoded', 'grant_type=authorization_code&grant_type=refresh_token'],
      ['application/x-www-form-urlencoded', 'code='.padEnd(100_000, 'a')],
    ]
    for (const [type, body] of bodies) {
      const headers = { 'content-type': type, accept: 'text/html' }
      const response = await fetch(`${server.url}/oauth/token`, { method: 'POST', headers, body })
      expect([400, 401]).toContain(response.status)
      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
      expect(await response.json()).toMatchObject({ error: expect.stringMatching(/^invalid_/) })
    }
  })
})

test('no request header influences URLs in responses', async () => {
  const { server, site, person } = await signInFixture()
  const poison = { host: 'other.local', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'gopher' }
  const get = (path: string, headers: Record<string, string>) =>
    new Promise<{ text: string; location: string }>((resolve, reject) => {
      const { port } = new URL(server.url)
      const sent = request({ port, host: '127.0.0.1', path, headers }, (response) => {
        let text = ''
        response.on('data', (chunk) => (text += String(chunk)))
        response.on('end', () => resolve({ text, location: response.headers.location ?? '' }))
      })
      sent.on('error', reject).end()
    })
  for (const target of ['/.well-known/openid-configuration', 'http://evil.example/.well-known/openid-configuration']) {
    const { text } = await get(target, poison)
    expect(text).not.toMatch(/evil\.example|other\.local/)
    expect(JSON.parse(text)).toMatchObject({ issuer: 'http://portico.test' })
  }
  const headers = { ...poison, cookie: person.cookie }
  for (const origin of ['', 'http://evil.example']) {
    const { location } = await get(site.authorizeUrl().replace('http://portico.test', origin), headers)
    expect(location).toMatch(/^\/oauth\/interaction\//)
  }
  const { rows } = await server.services.database.pool.query<{ payload: { returnTo: string } }>(
    'SELECT payload FROM oauth_interactions',
  )
  for (const { payload } of rows) expect(payload.returnTo).toMatch(/^http:\/\/portico\.test\/oauth\/authorize\//)
})

test('only listed endpoints of the provider are reachable', async () => {
  const { server } = await signInFixture()
  for (const path of [
    '/oauth/reg',
    '/session/end',
    '/session/end/confirm',
    '/oauth/device',
    '/request',
    '/challenge',
  ]) {
    for (const method of ['GET', 'POST']) {
      expect((await fetch(server.url + path, { method })).status, `${method} ${path}`).toBe(404)
    }
  }
  expect((await fetch(`${server.url}/oauth/token`)).status).toBe(404)
})

test('pages of other sites can read discovery and keys, but no server endpoints', async () => {
  const { server, site, person } = await signInFixture()
  const { access_token } = await site.tokensFor(person)
  const headers = { origin: 'https://harbour.example' }
  for (const path of ['/.well-known/openid-configuration', '/oauth/jwks']) {
    const response = await fetch(server.url + path, { headers })
    expect(response.headers.get('access-control-allow-origin')).toBe('https://harbour.example')
  }
  const userinfo = await fetch(`${server.url}/oauth/userinfo`, {
    headers: { ...headers, authorization: `Bearer ${access_token}` },
  })
  expect(userinfo.status).toBe(400)
  expect(userinfo.headers.has('access-control-allow-origin')).toBe(false)
  expect(await site.token({ grant_type: 'refresh_token', refresh_token: 'x' }, headers)).toMatchObject({ status: 400 })
})

test('published keys are public keys', async () => {
  const { server } = await signInFixture()
  const { keys } = (await (await fetch(`${server.url}/oauth/jwks`)).json()) as { keys: Record<string, string>[] }
  expect(keys).toHaveLength(1)
  expect(Object.keys(keys[0] ?? {}).toSorted()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use'])
})

test('keys are created once, and again when the secret that sealed them is lost', async () => {
  const { server } = await signInFixture()
  const { database, secret } = server.services
  const known = await openSignInKeys(server.services)
  const again = await Promise.all([1, 2, 3].map(() => openSignInKeys({ database, secret, log: silentLog })))
  for (const keys of again) expect(keys).toEqual(known)

  const lost = await openSecret({ PORTICO_SECRET: 'another secret, of more than 32 characters', PORTICO_DATA: '' })
  const fresh = await Promise.all([1, 2, 3].map(() => openSignInKeys({ database, secret: lost, log: silentLog })))
  expect(fresh[0]).not.toEqual(known)
  for (const keys of fresh) expect(keys).toEqual(fresh[0])
})

test('tokens, consents and keys survive a crash', { timeout: 300_000 }, async () => {
  const port = await freePort()
  const database = await testDatabase()
  const settings = {
    PORT: String(port),
    PORTICO_DATA: await dataFolder(),
    DATABASE_URL: database.url,
    PORTICO_SECRET: 'a secret of more than thirty-two characters',
  }
  const url = `http://localhost:${port}`
  const at = { publicUrl: url, addressOf: () => url }
  const killed = await startPortico(settings)
  const secret = await openSecret({ PORTICO_SECRET: settings.PORTICO_SECRET, PORTICO_DATA: '' })
  const owner = await new Person({ url }).setUp(setUpCode(secret))
  const site = await Website.of(at, owner)
  const { access_token, refresh_token } = await site.tokensFor(owner)
  const code = await site.codeFor(owner)
  const keys = await (await fetch(`${url}/oauth/jwks`)).text()
  await killed.stop('SIGKILL')

  await startPortico(settings)
  // A code is valid for a minute, and on a busy machine a start takes as long.
  await queryDatabase(database.url, "UPDATE oauth_tokens SET expires_at = now() + interval '1 hour'")
  expect((await site.api('/users/@me', access_token)).status).toBe(200)
  expect(tokens(await site.refresh(refresh_token)).scope).toContain('openid')
  expect((await site.exchange(code)).status).toBe(200)
  expect(await (await fetch(`${url}/oauth/jwks`)).text()).toBe(keys)
  const { url: back } = await site.browserOf(owner).open(site.authorizeUrl())
  expect(back.searchParams.has('code')).toBe(true)
})

describe('while the database refuses to store sessions of sign-ins', () => {
  test('the authorization endpoint is answered 504, and works again afterwards', async () => {
    const { site, person, server } = await signInFixture()
    // The code of a server that is starting.
    await queryDatabaseOf(
      server,
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION USING ERRCODE = '57P03'; END $$;
      CREATE TRIGGER refuse BEFORE INSERT OR DELETE ON oauth_sessions FOR EACH STATEMENT EXECUTE FUNCTION refuse()`,
    )
    const { status } = await site.browserOf(person).open(site.authorizeUrl({}))
    await queryDatabaseOf(server, 'DROP FUNCTION refuse CASCADE')
    expect(status).toBe(504)
    expect((await site.visit(site.browserOf(person))).searchParams.has('code')).toBe(true)
  })
})
