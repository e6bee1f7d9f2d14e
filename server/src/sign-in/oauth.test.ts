import type { AuditEntry, OAuthState } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { expectRefusal } from '../../test/expect-refusal.ts'
import { expectOk, portal, channelFixture } from '../../test/channel-fixture.ts'
import { CLIENT_SECRET_PREFIX, isWellFormedSecret } from '../secrets/generated-secret.ts'

interface Issued {
  readonly oauth: OAuthState
  readonly clientSecret: string
}

const SITE = 'https://fleet.example/signed-in'

async function application() {
  const { bots, ...rest } = await channelFixture({ bots: 1 })
  const [bot] = bots
  return { ...rest, bot, at: `/applications/${bot.application.id}/oauth` }
}

describe('setOAuth', () => {
  test('enables sign-in, shows the secret once, and changes the redirect URI without changing the secret', async () => {
    const { owner, bot, at } = await application()
    expect(await owner.get(at)).toMatchObject({ status: 200, body: { oauth: null } })

    const connected = await owner.put<Issued>(at, { redirectUri: SITE })
    expect(connected.status).toBe(201)
    const { oauth, clientSecret } = connected.body
    expect(isWellFormedSecret(clientSecret, CLIENT_SECRET_PREFIX)).toBe(true)
    expect(oauth).toMatchObject({
      clientId: bot.application.id,
      redirectUri: SITE,
      secretHint: clientSecret.slice(0, CLIENT_SECRET_PREFIX.length + 4),
      people: 0,
      issuer: 'http://portico.test',
      authorizationUrl: 'http://portico.test/oauth/authorize',
      tokenUrl: 'http://portico.test/oauth/token',
    })

    const changed = await owner.put<Issued>(at, { redirectUri: 'http://localhost:8080/back?from=portico' })
    expect(changed.status).toBe(200)
    expect(changed.body).not.toHaveProperty('clientSecret')
    const { oauth: now } = expectOk(await owner.get<{ oauth: OAuthState }>(at))
    expect(now).toEqual({ ...oauth, redirectUri: 'http://localhost:8080/back?from=portico' })
  })

  test.each([
    'http://fleet.example/signed-in',
    'http://localhost/signed-in',
    'http://localhost.fleet.example:80/signed-in',
    'http://localhost:80@fleet.example/signed-in',
    'http://127.0.0.1:8080/signed-in',
    'https://*.fleet.example/signed-in',
    'https://fleet.example/*',
    'https://fleet.example/signed-in#here',
    'https://ada:secret@fleet.example/signed-in',
    'https://fleet.example\\@harbour.example/',
    'https://fleet.example/signed in',
    'https://флот.example/signed-in',
    'https://',
    'javascript:alert(1)//https://fleet.example',
    'fleet://signed-in',
    '//fleet.example/signed-in',
    ` ${SITE}`,
    `${SITE}\n`,
    `${SITE}\0`,
    `${SITE}/${'a'.repeat(500)}`,
    '',
  ])('refuses %j', async (redirectUri) => {
    const { owner, at } = await application()
    expect(await owner.put(at, { redirectUri })).toMatchObject({ status: 400, body: { field: 'redirectUri' } })
    expect(await owner.get(at)).toMatchObject({ body: { oauth: null } })
  })
})

test('issueClientSecret returns a new secret', async () => {
  const { owner, at } = await application()
  expectRefusal(await owner.post(`${at}/secret`), 'unprocessable', { reason: 'oauth_not_connected' })
  const first = expectOk(await owner.put<Issued>(at, { redirectUri: SITE }))
  const second = await owner.post<Issued>(`${at}/secret`)
  expect(second.status).toBe(201)
  expect(second.body.clientSecret).not.toBe(first.clientSecret)
  expect(isWellFormedSecret(second.body.clientSecret, CLIENT_SECRET_PREFIX)).toBe(true)
  expect(second.body.oauth.clientId).toBe(first.oauth.clientId)
})

test('revokeOAuth deletes everything, and enabling it again returns a new secret', async () => {
  const { owner, at } = await application()
  const first = expectOk(await owner.put<Issued>(at, { redirectUri: SITE }))
  expect(await owner.delete(at)).toMatchObject({ status: 204 })
  expect(await owner.delete(at)).toMatchObject({ status: 204 })
  expect(await owner.get(at)).toMatchObject({ body: { oauth: null } })
  const second = await owner.put<Issued>(at, { redirectUri: SITE })
  expect(second.status).toBe(201)
  expect(second.body.clientSecret).not.toBe(first.clientSecret)
})

test('the sign-in of an application is accessible only to its owner', async () => {
  const { owner, at, newPerson } = await application()
  expectOk(await owner.put(at, { redirectUri: SITE }))
  const stranger = await newPerson()
  const foreign = [
    stranger.get(at),
    stranger.put(at, { redirectUri: SITE }),
    stranger.post(`${at}/secret`),
    stranger.delete(at),
  ]
  for (const answer of await Promise.all(foreign)) {
    expectRefusal(answer, 'unprocessable', { reason: 'no_such_application' })
  }
})

test('every change is in the audit log, without secrets', async () => {
  const { owner, at, bot } = await application()
  const secrets = [
    expectOk(await owner.put<Issued>(at, { redirectUri: SITE })).clientSecret,
    expectOk(await owner.post<Issued>(`${at}/secret`)).clientSecret,
  ]
  expectOk(await owner.put(at, { redirectUri: 'https://harbour.example/' }))
  expectOk(await owner.delete(at))

  const { administrator } = await portal()
  const { entries } = expectOk(await administrator.get<{ entries: AuditEntry[] }>('/audit-log?limit=100'))
  const own = entries.filter(({ targetId, action }) => targetId === bot.application.id && action.startsWith('oauth.'))
  expect(own.map(({ action }) => action)).toEqual([
    'oauth.revoked',
    'oauth.updated',
    'oauth.secret_reissued',
    'oauth.connected',
  ])
  for (const secret of secrets) expect(JSON.stringify(own)).not.toContain(secret)
})

test('withdrawConsent rejects an unknown consent', async () => {
  const { owner, bot } = await application()
  expect(await owner.get('/account/consents')).toMatchObject({ status: 200, body: { consents: [] } })
  expectRefusal(await owner.delete(`/account/consents/${bot.application.id}`), 'unprocessable', {
    reason: 'no_such_consent',
  })
})
