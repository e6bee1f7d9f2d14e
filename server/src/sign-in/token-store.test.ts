import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { queryDatabaseOf } from '../../test/query-database.ts'
import { signInFixture } from '../../test/sign-in-fixture.ts'

describe('the database', () => {
  test('contains nothing that can be used as a code or a token', async () => {
    const { site, person, server } = await signInFixture()
    const code = await site.codeFor(person)
    const got = await site.tokensFor(person)
    const rows = await queryDatabaseOf(
      server,
      'SELECT t::text AS row FROM oauth_tokens t UNION ALL SELECT g::text FROM oauth_grants g',
    )
    const stored = rows.map(({ row }) => row).join('\n')
    for (const secret of [code, got.access_token, got.refresh_token]) expect(stored).not.toContain(secret)
    const { rows: keys } = await sql<{ row: string }>`SELECT k::text AS row FROM sign_in_keys k`.execute(
      server.services.database.kysely,
    )
    expect(keys).toHaveLength(2)
    for (const { row } of keys) expect(Buffer.from(row, 'hex').toString() + row).not.toMatch(/"kty"|"d"/)
  })
})
