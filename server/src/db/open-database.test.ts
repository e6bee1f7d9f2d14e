import { describe, expect, test } from 'vitest'
import { testDatabase } from '../../test/database.ts'
import { queryDatabase } from '../../test/query-database.ts'
import { silentLog } from '../../test/silent-log.ts'
import { type OpenOptions, openDatabase } from './open-database.ts'
import { StartError } from './start-error.ts'

async function open(options: Partial<OpenOptions> = {}) {
  const { url } = await testDatabase()
  const { pool, close } = await openDatabase({ url, log: silentLog, ...options })
  return { url, pool, [Symbol.asyncDispose]: close }
}

describe('openDatabase', () => {
  test('returns instants in ISO-8601 with milliseconds, whatever the time zone they were written in', async () => {
    await using database = await open()
    const { rows } = await database.pool.query(
      `SELECT '2024-05-06 10:00:00.1239+03'::timestamptz AS cut, '2024-05-06 07:00:00Z'::timestamptz AS whole,
              'infinity'::timestamptz AS endless, NULL::timestamptz AS never,
              ARRAY['2024-05-06 07:00:00.5Z'::timestamptz, NULL] AS several, '{}'::timestamptz[] AS none,
              current_setting('timezone') AS zone`,
    )
    expect(rows[0]).toEqual({
      cut: '2024-05-06T07:00:00.123Z',
      whole: '2024-05-06T07:00:00.000Z',
      endless: 'infinity',
      never: null,
      several: ['2024-05-06T07:00:00.500Z', null],
      none: [],
      zone: 'UTC',
    })
  })

  test('returns bigints as numbers, and fails rather than rounds', async () => {
    await using database = await open()
    const { rows } = await database.pool.query(`SELECT 42::bigint AS one, ARRAY[1, NULL]::bigint[] AS several`)
    expect(rows[0]).toEqual({ one: 42, several: [1, null] })
    await expect(database.pool.query('SELECT 9007199254740993')).rejects.toThrow('too large')
    expect((await database.pool.query('SELECT 1 AS still')).rows).toEqual([{ still: 1 }])
  })

  test('rolls back a pipelined transaction that fails in the middle, and keeps the connection', async () => {
    await using database = await open({ poolSize: 1 })
    await database.pool.query('CREATE TABLE notes (id int PRIMARY KEY)')
    const client = await database.pool.connect()
    const { rows: before } = await client.query('SELECT pg_backend_pid() AS pid')

    const outcomes = await Promise.allSettled([
      client.query('BEGIN'),
      client.query('INSERT INTO notes VALUES ($1)', [1]),
      client.query('INSERT INTO notes VALUES ($1)', [1]),
      client.query('INSERT INTO notes VALUES ($1)', [2]),
      client.query('COMMIT'),
    ])
    client.release()

    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'rejected',
      'fulfilled',
    ])
    expect(outcomes[2]).toMatchObject({ reason: { code: '23505' } })
    expect(outcomes[3]).toMatchObject({ reason: { code: '25P02' } })
    expect(outcomes[4]).toMatchObject({ value: { command: 'ROLLBACK' } })
    const { rows: after } = await database.pool.query(
      'SELECT pg_backend_pid() AS pid, (SELECT count(*) FROM notes) AS count',
    )
    expect(after).toEqual([{ ...before[0], count: 0 }])
  })

  test('rolls back a pipelined transaction with prepared statements, one of which cannot be prepared', async () => {
    await using database = await open({ poolSize: 1 })
    await database.pool.query('CREATE TABLE notes (id int PRIMARY KEY)')
    const client = await database.pool.connect()
    const insert = { name: 'insert-note', text: 'INSERT INTO notes VALUES ($1)' }

    const outcomes = await Promise.allSettled([
      client.query('BEGIN'),
      client.query({ ...insert, values: [1] }),
      client.query({ name: 'nonsense', text: 'SELECT * FROM no_such_table WHERE id = $1', values: [1] }),
      client.query({ ...insert, values: [2] }),
      client.query('ROLLBACK'),
    ])
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'rejected',
      'fulfilled',
    ])

    await Promise.all([client.query('BEGIN'), client.query({ ...insert, values: [3] }), client.query('COMMIT')])
    client.release()
    expect((await database.pool.query('SELECT id FROM notes')).rows).toEqual([{ id: 3 }])
  })

  test('ends statements that run too long', async () => {
    await using database = await open({ statementTimeout: 3000 })
    await expect(database.pool.query('SELECT pg_sleep(30)')).rejects.toMatchObject({ code: '57014' })
    const { rows } = await database.pool.query(`SELECT current_setting('idle_in_transaction_session_timeout') AS idle`)
    expect(rows).toEqual([{ idle: '30s' }])
  })

  test('fails in time when all connections are taken, and recovers when one returns', async () => {
    await using database = await open({ poolSize: 1, connectTimeout: 3000 })
    const taken = await database.pool.connect()
    await expect(database.pool.query('SELECT 1')).rejects.toThrow('timeout exceeded')
    taken.release()
    expect((await database.pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
  })

  test('survives the loss of all idle connections', async () => {
    await using database = await open()
    await Promise.all(Array.from({ length: 3 }, () => database.pool.query('SELECT pg_sleep(0.05)')))
    await queryDatabase(
      database.url,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    )
    await expect
      .poll(() => database.pool.query('SELECT 1 AS one').then(({ rows }) => rows, String))
      .toEqual([{ one: 1 }])
  })

  test('is closed only when every connection has ended', async () => {
    const { url } = await testDatabase()
    const { pool, close } = await openDatabase({ url, log: silentLog })
    await Promise.all(Array.from({ length: 5 }, () => pool.query('SELECT pg_sleep(0.05)')))
    const open = pool.totalCount
    let ended = 0
    pool.on('remove', () => ended++)
    await close()
    expect(open).toBeGreaterThan(0)
    expect(ended).toBe(open)
  })

  test.each([
    ['a server that is not there', 'postgres://localhost:1/portico', /can’t be reached: .*ECONNREFUSED/, /Start that/],
    ['a host that is not there', 'postgres://nowhere.invalid/portico', /can’t be reached/, /DATABASE_URL/],
  ])('hints at what to do about %s', async (_, url, problem, hint) => {
    const failure = await openDatabase({ url, log: silentLog }).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(StartError)
    expect(failure).toMatchObject({ message: expect.stringMatching(problem), hint: expect.stringMatching(hint) })
  })

  test('hints at what to do about a missing database', async () => {
    const { url } = await testDatabase()
    await expect(
      openDatabase({ url: url.replace(/portico_test_\w+/, 'missing'), log: silentLog }),
    ).rejects.toMatchObject({
      message: expect.stringContaining('"missing" does not exist'),
      hint: expect.stringContaining('Create that database'),
    })
  })
})
