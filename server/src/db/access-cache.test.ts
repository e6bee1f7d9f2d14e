import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { testDatabase } from '../../test/database.ts'
import { silentLog } from '../../test/silent-log.ts'
import { READ_KEYS_AND_PLACES } from '../http/authenticate-bot.ts'
import { READ_PROFILES } from '../applications/get-profile.ts'
import { READ_PLACES } from '../operations/authorize.ts'
import { Deadline } from './deadline.ts'
import { openDatabase } from './open-database.ts'

const RENAME = 'UPDATE accounts SET name = $1'

/** A database with one account, whose name is asked for through the access cache, and how often it was really read. */
async function nameboard() {
  const { url } = await testDatabase()
  const { pool, accessCache, commit, close } = await openDatabase({ url, log: silentLog })
  await pool.query(`INSERT INTO accounts (id, kind, name, avatar) VALUES (gen_random_uuid(), 'bot', 'Ada', 'a.svg')`)
  accessCache.enableWhile(() => true)
  let reads = 0
  const read = async (): Promise<string | undefined> => {
    reads += 1
    const { rows } = await pool.query<{ name: string }>('SELECT name FROM accounts')
    return rows[0]?.name
  }
  const name = async (): Promise<string | undefined> => accessCache.getOrLoad(read, 'the only one', read)
  return { pool, accessCache, commit, url, read, name, reads: () => reads, [Symbol.asyncDispose]: close }
}

// However slow the machine is, nothing is forgotten for its age unless a test says that time has passed.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})

afterEach(() => {
  vi.useRealTimers()
})

describe('AccessCache', () => {
  test('loads a value once until it changes', async () => {
    await using board = await nameboard()
    expect([await board.name(), await board.name(), board.reads()]).toEqual(['Ada', 'Ada', 1])
    await board.pool.query(RENAME, ['Grace'])
    expect([await board.name(), await board.name(), board.reads()]).toEqual(['Grace', 'Grace', 2])
  })

  test('keeps its entries when something unrelated changes', async () => {
    await using board = await nameboard()
    await board.name()
    await board.pool.query(`UPDATE accounts SET theme = 'dark'`)
    await board.pool.query(`UPDATE instance SET name = 'Harbour'`)
    await board.name()
    expect(board.reads()).toBe(1)
  })

  test('is bypassed while a transaction changes the table, and caches the committed value afterwards', async () => {
    await using board = await nameboard()
    for (const [end, name] of [
      ['COMMIT', 'Grace'],
      ['ROLLBACK', 'Grace'],
    ]) {
      await board.name()
      const client = await board.pool.connect()
      await client.query('BEGIN')
      await client.query(RENAME, [end === 'COMMIT' ? name : 'Nobody'])
      const before = board.reads()
      await Promise.all([board.name(), board.name()])
      expect(board.reads()).toBe(before + 2)
      await client.query(`${end}`)
      client.release()
      expect(await board.name()).toBe(name)
    }
  })

  test('is invalidated before a single-statement transaction is acknowledged', async () => {
    await using board = await nameboard()
    for (const name of ['Grace', 'Edsger', 'Barbara']) {
      await board.name()
      const renamed = board.commit({ sql: RENAME, parameters: [name] }, new Deadline())
      const seen: (string | undefined)[] = []
      await renamed.then(async () => seen.push(await board.name()))
      expect(seen).toEqual([name])
    }
  })

  test('does not cache a value that was read before a change and arrives after it', async () => {
    await using board = await nameboard()
    const late = Promise.withResolvers<string>()
    const asked = board.accessCache.getOrLoad(board.read, 'the only one', () => late.promise)
    await board.pool.query(RENAME, ['Grace'])
    late.resolve('Ada')
    expect(await asked).toBe('Ada')
    expect(await board.name()).toBe('Grace')
  })

  test('never returns a value older than the last acknowledged change', async () => {
    await using board = await nameboard()
    const last = 200
    let acknowledged = 0
    const over = new AbortController()
    const changing = (async () => {
      for (let next = 1; next <= last; next += 1) {
        if (next % 3 === 0) {
          const client = await board.pool.connect()
          await client.query('BEGIN')
          await client.query(RENAME, [String(next)])
          await client.query('COMMIT')
          client.release()
        } else await board.pool.query(RENAME, [String(next)])
        acknowledged = next
      }
      over.abort()
    })()
    const asking = Array.from({ length: 8 }, async () => {
      do {
        const atLeast = acknowledged
        const seen = Number(await board.name()) || 0
        expect(seen).toBeGreaterThanOrEqual(atLeast)
        await new Promise((resolve) => setImmediate(resolve))
      } while (!over.signal.aborted)
    })
    await Promise.all([changing, ...asking])
    expect(await board.name()).toBe(String(last))
  })

  test('is bypassed while another process may be serving', async () => {
    await using board = await nameboard()
    board.accessCache.enableWhile(() => false)
    expect([await board.name(), await board.name(), board.reads()]).toEqual(['Ada', 'Ada', 2])
  })

  test('sees an unannounced change after ten seconds', async () => {
    await using board = await nameboard()
    await using other = await openOther(board.url)
    await board.name()
    await other.pool.query(RENAME, ['Grace'])
    vi.advanceTimersByTime(10_000)
    expect(await board.name()).toBe('Grace')
  })

  test('returns no expired entry even if no timer has run', async () => {
    await using board = await nameboard()
    await using other = await openOther(board.url)
    await board.name()
    const { generation } = board.accessCache
    await other.pool.query(RENAME, ['Grace'])
    // As in a process that was stopped and goes on: the clock has moved, and timers are yet to be run.
    const stopped = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 10_000)
    expect(board.accessCache.generation).not.toBe(generation)
    expect(await board.name()).toBe('Grace')
    stopped.mockRestore()
  })

  test('caches neither absent nor uncacheable values', async () => {
    await using board = await nameboard()
    let reads = 0
    const nothing = async (): Promise<undefined> => void (reads += 1)
    await board.accessCache.getOrLoad(nothing, 'key', nothing)
    await board.accessCache.getOrLoad(nothing, 'key', nothing)
    expect(reads).toBe(2)
    const uncacheable = async (): Promise<number> => (reads += 1)
    const ask = () => board.accessCache.getOrLoad(uncacheable, 'key', uncacheable, () => false)
    expect([await ask(), await ask()]).toEqual([3, 4])
  })

  test('holds a bounded number of entries', async () => {
    await using board = await nameboard()
    let reads = 0
    const read = async (): Promise<number> => (reads += 1)
    for (let key = 0; key <= 10_000; key += 1) await board.accessCache.getOrLoad(read, String(key), read)
    expect(await board.accessCache.getOrLoad(read, '0', read)).toBe(10_002)
    expect(await board.accessCache.getOrLoad(read, '10000', read)).toBe(10_001)
  })

  test('is invalidated when a connection breaks during a change', async () => {
    await using board = await nameboard()
    await board.name()
    const client = await board.pool.connect()
    const broken = new Promise((resolve) => void client.once('error', resolve))
    await client.query('BEGIN')
    await client.query(RENAME, ['Grace'])
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    await board.pool.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid])
    await broken
    client.release(true)
    const before = board.reads()
    expect([await board.name(), await board.name(), board.reads()]).toEqual(['Ada', 'Ada', before + 1])
  })
})

describe('whatever is remembered', () => {
  test.each([
    ['keys and places', READ_KEYS_AND_PLACES],
    ['profiles', READ_PROFILES],
    ['places', READ_PLACES],
  ])('stands on tables whose changes are told: %s', async (_, statement) => {
    await using board = await nameboard()
    const { rows } = await board.pool.query<{ 'QUERY PLAN': unknown }>(
      `EXPLAIN (GENERIC_PLAN, FORMAT JSON, VERBOSE) ${statement}`,
    )
    const read = new Set([...JSON.stringify(rows).matchAll(/"Relation Name":"(\w+)"/g)].map(([, table]) => table))
    const { rows: told } = await board.pool.query<{ table: string }>(
      `SELECT DISTINCT tgrelid::regclass::text AS table FROM pg_trigger WHERE tgfoid = 'announce_access_change'::regproc`,
    )
    expect(read.size).toBeGreaterThan(2)
    expect(told.map(({ table }) => table)).toEqual(expect.arrayContaining([...read]))
  })
})

async function openOther(url: string) {
  const { pool, close } = await openDatabase({ url, log: silentLog })
  return { pool, [Symbol.asyncDispose]: close }
}
