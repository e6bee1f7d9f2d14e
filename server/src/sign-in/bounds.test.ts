import { LIMITS } from '@portico/contract'
import { expect, test } from 'vitest'
import { queryDatabaseOf } from '../../test/query-database.ts'
import { signInFixture } from '../../test/sign-in-fixture.ts'

test('a person has a limited number of sign-ins at a website: a new one ends the oldest', async () => {
  const { site, person, server } = await signInFixture()
  const oldest = await site.tokensFor(person)
  const second = await site.tokensFor(person)
  await queryDatabaseOf(
    server,
    `INSERT INTO oauth_grants (id, account_id, application_id, payload, expires_at)
     SELECT 'more' || n, '${person.id}', '${site.applicationId}', '{}', now() + interval '1 day'
     FROM generate_series(1, ${LIMITS.signInsOfWebsite - 2}) n`,
  )
  await site.codeFor(person)
  expect((await site.refresh(oldest.refresh_token)).status).toBe(400)
  expect((await site.refresh(second.refresh_token)).status).toBe(200)
  const rows = await queryDatabaseOf(
    server,
    `SELECT count(*)::int AS count FROM oauth_grants WHERE account_id = '${person.id}'`,
  )
  expect(rows).toEqual([{ count: LIMITS.signInsOfWebsite }])
})

test('a website that refreshes all the time leaves a limited number of tokens', async () => {
  const { site, person, server } = await signInFixture()
  const { refresh_token } = await site.tokensFor(person)
  await queryDatabaseOf(
    server,
    `INSERT INTO oauth_tokens (id_hash, kind, grant_id, scopes, payload, consumed_at, expires_at)
     SELECT sha256((kind || n)::bytea), kind, g.id, '{}', '{}', now(), now() + make_interval(secs => n)
     FROM oauth_grants g, unnest('{AccessToken,RefreshToken}'::text[]) kind, generate_series(1, 1500) n
     WHERE g.account_id = '${person.id}'`,
  )
  expect((await site.refresh(refresh_token)).status).toBe(200)
  const rows = await queryDatabaseOf(
    server,
    `SELECT t.kind, count(*)::int AS count FROM oauth_tokens t JOIN oauth_grants g ON g.id = t.grant_id
     WHERE g.account_id = '${person.id}' AND t.kind <> 'AuthorizationCode' GROUP BY t.kind ORDER BY t.kind`,
  )
  expect(rows).toEqual([
    { kind: 'AccessToken', count: 1000 },
    { kind: 'RefreshToken', count: 1000 },
  ])
})
