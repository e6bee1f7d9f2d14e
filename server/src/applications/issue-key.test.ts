import { crc32 } from 'node:zlib'
import { createHash } from 'node:crypto'
import type { Application, AuditEntry } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { expectRefusal } from '../../test/expect-refusal.ts'
import { expectShape } from '../../test/expect-shape.ts'
import { expectOk, portal, channelFixture } from '../../test/channel-fixture.ts'

describe('keys', () => {
  test('have a fixed prefix and a checksum that anyone can verify', async () => {
    const { bots } = await channelFixture({ bots: 2 })
    for (const { key } of bots) {
      expect(key).toMatch(/^portico_bot_[0-9A-Za-z]{40}[0-9A-Za-z]{6}$/)
      expect(key.slice(-6)).toBe(base62(crc32(key.slice(0, -6))))
    }
    expect(bots[0].key).not.toBe(bots[1].key)
  })

  test('with a wrong checksum are refused without a database query', async () => {
    const { bots } = await channelFixture({ bots: 1 })
    const [bot] = bots
    const wrong = bot.key.slice(0, -1) + (bot.key.endsWith('0') ? '1' : '0')
    expectRefusal(await bot.get('/me', { authorization: `Bot ${wrong}` }), 'unauthorized', {
      message: 'This isn’t a key of this portal.',
    })
  })

  test('are stored only as hashes', async () => {
    const { server, bots } = await channelFixture({ bots: 1 })
    const [bot] = bots
    const { rows } = await server.services.database.pool.query<{ key_hash: Buffer; hint: string; row: string }>(
      'SELECT key_hash, hint, row_to_json(k)::text AS row FROM application_keys k WHERE application_id = $1',
      [bot.application.id],
    )
    expect(rows).toHaveLength(1)
    expect(rows[0]?.key_hash).toEqual(createHash('sha256').update(bot.key).digest())
    expect(rows[0]?.hint).toBe(bot.key.slice(0, 16))
    expect(rows[0]?.row).not.toContain(bot.key.slice(12))

    const tables = await server.services.database.pool.query<{ name: string }>(
      `SELECT format('%I', table_name) AS name FROM information_schema.tables
       WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`,
    )
    for (const { name } of tables.rows) {
      const found = await server.services.database.pool.query(
        `SELECT FROM ${name} t WHERE row_to_json(t)::text LIKE '%' || $1 || '%'`,
        [bot.key.slice(20)],
      )
      expect(found.rowCount, name).toBe(0)
    }
  })

  test('are not accepted as Bearer tokens or in the query', async () => {
    const { bots } = await channelFixture({ bots: 1 })
    const [bot] = bots
    expectRefusal(await bot.get('/me', { authorization: `Bearer ${bot.key}` }), 'unauthorized')
    expectRefusal(await bot.get(`/me?key=${bot.key}`, { authorization: '' }), 'unauthorized')
  })

  test('are shown to the owner with scopes, hint, issue date and last use, never the key itself', async () => {
    const { server, owner, bots } = await channelFixture({ bots: 1, scopes: ['voice', 'commands'] })
    const [bot] = bots
    const shown = async () => expectOk(await owner.get<Application>(`/applications/${bot.application.id}`))
    expect((await shown()).key).toEqual({
      scopes: ['voice', 'commands'],
      hint: bot.key.slice(0, 16),
      issuedAt: expect.stringMatching(/Z$/),
      lastUsedAt: null,
    })
    expectOk(await bot.get('/me'))
    const first = Date.parse((await shown()).key?.lastUsedAt ?? '')
    expect(Date.now() - first).toBeLessThan(60_000)

    await server.services.database.pool.query(
      `UPDATE application_keys SET last_used_at = now() - interval '2 minutes' WHERE application_id = $1`,
      [bot.application.id],
    )
    expectOk(await bot.get('/me'))
    expect(Date.parse((await shown()).key?.lastUsedAt ?? '')).toBeGreaterThanOrEqual(first)
    await bot.reissue()
    expect((await shown()).key?.lastUsedAt).toBeNull()
  })

  test('can be revoked with the key itself; the owner issues a new one', async () => {
    const { owner, bots } = await channelFixture({ bots: 1, scopes: [] })
    const [bot] = bots
    expectShape('revokeKey', await bot.delete('/key'))
    expectRefusal(await bot.get('/me'), 'unauthorized')
    expectRefusal(await bot.delete('/key'), 'unauthorized')
    expect(expectOk(await owner.get<Application>(`/applications/${bot.application.id}`)).key).toBeNull()
    const { administrator } = await portal()
    const { entries } = expectOk(await administrator.get<{ entries: AuditEntry[] }>('/audit-log'))
    expect(entries.find(({ targetId }) => targetId === bot.application.id)).toMatchObject({ action: 'key.revoked' })
    await bot.reissue()
    expect((await bot.get('/me')).status).toBe(200)
  })

  test('are not affected when an old key is revoked', async () => {
    const { bots } = await channelFixture({ bots: 1 })
    const [bot] = bots
    const old = bot.key
    const [revoked] = await Promise.all([bot.delete('/key', undefined, { authorization: `Bot ${old}` }), bot.reissue()])
    expect([204, 401]).toContain(revoked.status)
    expect((await bot.get('/me')).status).toBe(200)
    expectRefusal(await bot.get('/me', { authorization: `Bot ${old}` }), 'unauthorized')
  })

  test('stay unique: concurrent re-issues leave exactly one valid key', async () => {
    const { owner, bots } = await channelFixture({ bots: 1 })
    const [bot] = bots
    const issue = () => owner.put<{ key: string }>(`/applications/${bot.application.id}/key`, { scopes: ['voice'] })
    const keys = (await Promise.all(Array.from({ length: 12 }, issue))).map((issued) => expectOk(issued).key)
    expect(new Set(keys).size).toBe(12)
    const answers = await Promise.all([bot.key, ...keys].map((key) => bot.get('/me', { authorization: `Bot ${key}` })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array.from({ length: 12 }, () => 401)])
  })

  test('stop working immediately: no request that starts after the re-issue is accepted', async () => {
    const { bots } = await channelFixture({ bots: 1 })
    const [bot] = bots
    const old = { authorization: `Bot ${bot.key}` }
    const reissued = new AbortController()
    const requesting = Array.from({ length: 4 }, async () => {
      while (!reissued.signal.aborted) await bot.get('/me', old)
    })
    await bot.reissue()
    reissued.abort()
    const after = await Promise.all(Array.from({ length: 20 }, () => bot.get('/me', old)))
    for (const answer of after) expectRefusal(answer, 'unauthorized')
    await Promise.all(requesting)
  })

  test('are issued only by the owner, with known scopes, each once', async () => {
    const { owner, bots, people } = await channelFixture({ bots: 1, people: 1 })
    const [bot] = bots
    const [ada] = people
    const at = `/applications/${bot.application.id}`
    expect(await ada.put(`${at}/key`, { scopes: [] })).toMatchObject({
      status: 422,
      body: { reason: 'no_such_application' },
    })
    expect((await ada.get(at)).status).toBe(422)
    expect((await ada.delete(at, { name: bot.application.name })).status).toBe(422)
    for (const scopes of [['everything'], ['voice', 'voice'], 'voice', null, undefined]) {
      expect((await owner.put(`${at}/key`, { scopes })).status).toBe(400)
    }
    expect((await bot.get('/me')).status).toBe(200)
  })
})

function base62(value: number): string {
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
  let text = ''
  for (let rest = value, place = 0; place < 6; place += 1, rest = Math.floor(rest / 62)) text = digits[rest % 62] + text
  return text
}
