import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { testDatabase } from '../../test/database.ts'
import { silentLog } from '../../test/silent-log.ts'
import { groupCommit } from '../events/group-commit.ts'
import { READ_KEYS_AND_PLACES } from '../http/authenticate-bot.ts'
import { READ_PROFILES } from '../applications/get-profile.ts'
import { READ_PLACES } from '../operations/authorize.ts'
import { accessVersion } from './access-version.ts'
import { Deadline } from './deadline.ts'
import { openDatabase } from './open-database.ts'

const RENAME = 'UPDATE accounts SET name = $1'

/** A database with one account whose name is read through the access cache, and how often it was really read. */
async function cachedName({ ofNode = false } = {}) {
  const { url } = await testDatabase()
  const database = await openDatabase({ url, log: silentLog })
  const { pool, accessCache, close } = database
  await pool.query(`INSERT INTO accounts (id, kind, name, avatar) VALUES (gen_random_uuid(), 'bot', 'Ada', 'a.svg')`)
  if (ofNode) accessCache.enableByVersion(accessVersion(pool))
  else accessCache.enableWhile(() => true)
  let reads = 0
  const read = async (): Promise<string | undefined> => {
    reads += 1
    const { rows } = await pool.query<{ name: string }>('SELECT name FROM accounts')
    return rows[0]?.name
  }
  const name = async (): Promise<string | undefined> => accessCache.getOrLoad(read, 'the only one', read)
  const commit = groupCommit(database)
  return { pool, accessCache, commit, url, read, name, reads: () => reads, [Symbol.asyncDispose]: close }
}

// Entries expire only when a test advances the clock, however slow the machine is.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})

afterEach(() => {
  vi.useRealTimers()
})

describe('AccessCache', () => {
  test('loads a value once until it changes', async () => {
    await using cached = await cachedName()
    expect([await cached.name(), await cached.name(), cached.reads()]).toEqual(['Ada', 'Ada', 1])
    await cached.pool.query(RENAME, ['Grace'])
    expect([await cached.name(), await cached.name(), cached.reads()]).toEqual(['Grace', 'Grace', 2])
  })

  test('keeps its entries when something unrelated changes', async () => {
    await using cached = await cachedName()
    await cached.name()
    await cached.pool.query(`UPDATE accounts SET theme = 'dark'`)
    await cached.pool.query(`UPDATE instance SET name = 'Harbour'`)
    await cached.name()
    expect(cached.reads()).toBe(1)
  })

  test('is bypassed while a transaction changes the table, and caches the committed value afterwards', async () => {
    await using cached = await cachedName()
    for (const [end, name] of [
      ['COMMIT', 'Grace'],
      ['ROLLBACK', 'Grace'],
    ]) {
      await cached.name()
      const client = await cached.pool.connect()
      await client.query('BEGIN')
      await client.query(RENAME, [end === 'COMMIT' ? name : 'Nobody'])
      const before = cached.reads()
      await Promise.all([cached.name(), cached.name()])
      expect(cached.reads()).toBe(before + 2)
      await client.query(`${end}`)
      client.release()
      expect(await cached.name()).toBe(name)
    }
  })

  test('is invalidated before a single-statement transaction is acknowledged', async () => {
    await using cached = await cachedName()
    for (const name of ['Grace', 'Edsger', 'Barbara']) {
      await cached.name()
      const renamed = cached.commit({ sql: RENAME, parameters: [name] }, new Deadline())
      const seen: (string | undefined)[] = []
      await renamed.then(async () => seen.push(await cached.name()))
      expect(seen).toEqual([name])
    }
  })

  test('does not cache a value that was read before a change and arrives after it', async () => {
    await using cached = await cachedName()
    const late = Promise.withResolvers<string>()
    const loading = cached.accessCache.getOrLoad(cached.read, 'the only one', () => late.promise)
    await cached.pool.query(RENAME, ['Grace'])
    late.resolve('Ada')
    expect(await loading).toBe('Ada')
    expect(await cached.name()).toBe('Grace')
  })

  test('never returns a value older than the last acknowledged change', async () => {
    await using cached = await cachedName()
    const last = 200
    let acknowledged = 0
    const over = new AbortController()
    const changing = (async () => {
      for (let next = 1; next <= last; next += 1) {
        if (next % 3 === 0) {
          const client = await cached.pool.connect()
          await client.query('BEGIN')
          await client.query(RENAME, [String(next)])
          await client.query('COMMIT')
          client.release()
        } else await cached.pool.query(RENAME, [String(next)])
        acknowledged = next
      }
      over.abort()
    })()
    const reading = Array.from({ length: 8 }, async () => {
      do {
        const atLeast = acknowledged
        const seen = Number(await cached.name()) || 0
        expect(seen).toBeGreaterThanOrEqual(atLeast)
        await new Promise((resolve) => setImmediate(resolve))
      } while (!over.signal.aborted)
    })
    await Promise.all([changing, ...reading])
    expect(await cached.name()).toBe(String(last))
  })

  test('is bypassed while another process may be serving', async () => {
    await using cached = await cachedName()
    cached.accessCache.enableWhile(() => false)
    expect([await cached.name(), await cached.name(), cached.reads()]).toEqual(['Ada', 'Ada', 2])
  })

  test('sees an unannounced change after ten seconds', async () => {
    await using cached = await cachedName()
    await using other = await openOther(cached.url)
    await cached.name()
    await other.pool.query(RENAME, ['Grace'])
    vi.advanceTimersByTime(10_000)
    expect(await cached.name()).toBe('Grace')
  })

  test('returns no expired entry even if no timer has run', async () => {
    await using cached = await cachedName()
    await using other = await openOther(cached.url)
    await cached.name()
    const { generation } = cached.accessCache
    await other.pool.query(RENAME, ['Grace'])
    // Like a process that was suspended: the clock has advanced, but no timer has run yet.
    const stopped = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 10_000)
    expect(cached.accessCache.generation).not.toBe(generation)
    expect(await cached.name()).toBe('Grace')
    stopped.mockRestore()
  })

  test('caches neither absent nor uncacheable values', async () => {
    await using cached = await cachedName()
    let reads = 0
    const nothing = async (): Promise<undefined> => void (reads += 1)
    await cached.accessCache.getOrLoad(nothing, 'key', nothing)
    await cached.accessCache.getOrLoad(nothing, 'key', nothing)
    expect(reads).toBe(2)
    const uncacheable = async (): Promise<number> => (reads += 1)
    const ask = () => cached.accessCache.getOrLoad(uncacheable, 'key', uncacheable, () => false)
    expect([await ask(), await ask()]).toEqual([3, 4])
  })

  test('holds a bounded number of entries', async () => {
    await using cached = await cachedName()
    let reads = 0
    const read = async (): Promise<number> => (reads += 1)
    for (let key = 0; key <= 10_000; key += 1) await cached.accessCache.getOrLoad(read, String(key), read)
    expect(await cached.accessCache.getOrLoad(read, '0', read)).toBe(10_002)
    expect(await cached.accessCache.getOrLoad(read, '10000', read)).toBe(10_001)
  })

  test('is invalidated when a connection breaks during a change', async () => {
    await using cached = await cachedName()
    await cached.name()
    const client = await cached.pool.connect()
    const broken = new Promise((resolve) => void client.once('error', resolve))
    await client.query('BEGIN')
    await client.query(RENAME, ['Grace'])
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    await cached.pool.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid])
    await broken
    client.release(true)
    const before = cached.reads()
    expect([await cached.name(), await cached.name(), cached.reads()]).toEqual(['Ada', 'Ada', before + 1])
  })
})

describe('AccessCache of a node', () => {
  test('loads a value once until another node changes it', async () => {
    await using cached = await cachedName({ ofNode: true })
    await using other = await openOther(cached.url)
    expect([await cached.name(), await cached.name(), cached.reads()]).toEqual(['Ada', 'Ada', 1])
    await other.pool.query(RENAME, ['Grace'])
    expect([await cached.name(), await cached.name(), cached.reads()]).toEqual(['Grace', 'Grace', 2])
  })

  test('keeps its entries when something unrelated changes', async () => {
    await using cached = await cachedName({ ofNode: true })
    await using other = await openOther(cached.url)
    await cached.name()
    await other.pool.query(`UPDATE accounts SET theme = 'dark'`)
    await cached.name()
    expect(cached.reads()).toBe(1)
  })

  test.each([
    ['COMMIT', 'Grace'],
    ['ROLLBACK', 'Ada'],
  ])('caches nothing that is read during a change on another node, until its %s', async (end, name) => {
    await using cached = await cachedName({ ofNode: true })
    await using other = await openOther(cached.url)
    await cached.name()
    const client = await other.pool.connect()
    await client.query('BEGIN')
    await client.query(RENAME, ['Grace'])
    expect([await cached.name(), await cached.name(), cached.reads()]).toEqual(['Ada', 'Ada', 3])
    await client.query(end)
    client.release()
    expect([await cached.name(), await cached.name(), cached.reads()]).toEqual([name, name, 4])
  })

  test('does not cache a value that was read before a change and arrives after it', async () => {
    await using cached = await cachedName({ ofNode: true })
    await using other = await openOther(cached.url)
    const late = Promise.withResolvers<string>()
    const loading = cached.accessCache.getOrLoad(cached.read, 'the only one', () => late.promise)
    await cached.accessCache.getOrLoad(cached.read, 'another', cached.read)
    await other.pool.query(RENAME, ['Grace'])
    late.resolve('Ada')
    expect(await loading).toBe('Ada')
    expect(await cached.name()).toBe('Grace')
  })

  test('never returns a value older than the last change that any node has acknowledged', async () => {
    await using cached = await cachedName({ ofNode: true })
    await using one = await openOther(cached.url)
    await using another = await openOther(cached.url)
    const last = 200
    let acknowledged = 0
    const over = new AbortController()
    const changing = (async () => {
      for (let next = 1; next <= last; next += 1) {
        const { pool } = [one, another, cached][next % 3] ?? one
        await pool.query(RENAME, [String(next)])
        acknowledged = next
        // So that values are cached in between.
        if (next % 5 === 0) await cached.name()
      }
      over.abort()
    })()
    const reading = Array.from({ length: 8 }, async () => {
      do {
        const atLeast = acknowledged
        expect(Number(await cached.name()) || 0).toBeGreaterThanOrEqual(atLeast)
      } while (!over.signal.aborted)
    })
    await Promise.all([changing, ...reading])
    const before = cached.reads()
    expect([await cached.name(), await cached.name(), await cached.name()]).toEqual(Array(3).fill(String(last)))
    expect(cached.reads()).toBeLessThanOrEqual(before + 1)
  })

  test('asks once for the version on behalf of all who use it at the same time', async () => {
    await using cached = await cachedName({ ofNode: true })
    await cached.name()
    const query = vi.spyOn(cached.pool, 'query')
    await Promise.all(Array.from({ length: 20 }, () => cached.name()))
    expect(query.mock.calls).toMatchObject([[{ name: 'access_version' }]])
  })
})

describe('cached data', () => {
  test.each([
    ['keys and places', READ_KEYS_AND_PLACES],
    ['profiles', READ_PROFILES],
    ['places', READ_PLACES],
  ])('is read only from tables with announced changes: %s', async (_, statement) => {
    await using cached = await cachedName()
    const { rows } = await cached.pool.query<{ 'QUERY PLAN': unknown }>(
      `EXPLAIN (GENERIC_PLAN, FORMAT JSON, VERBOSE) ${statement}`,
    )
    const read = new Set([...JSON.stringify(rows).matchAll(/"Relation Name":"(\w+)"/g)].map(([, table]) => table))
    const { rows: announced } = await cached.pool.query<{ table: string }>(
      `SELECT DISTINCT tgrelid::regclass::text AS table FROM pg_trigger WHERE tgfoid = 'announce_access_change'::regproc`,
    )
    expect(read.size).toBeGreaterThan(2)
    expect(announced.map(({ table }) => table)).toEqual(expect.arrayContaining([...read]))
  })
})

async function openOther(url: string) {
  const { pool, close } = await openDatabase({ url, log: silentLog })
  return { pool, [Symbol.asyncDispose]: close }
}
