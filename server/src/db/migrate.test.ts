import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { emptyDatabase } from '../../test/database.ts'
import { silentLog } from '../../test/silent-log.ts'
import { migrate } from './migrate.ts'
import { openDatabase } from './open-database.ts'

const notes = 'CREATE TABLE notes (id int PRIMARY KEY);'
const bodies = `ALTER TABLE notes ADD COLUMN body text; INSERT INTO notes VALUES (1, 'one');`

async function world(files: Record<string, string>, statementTimeout = 9500) {
  const folder = await mkdtemp(join(tmpdir(), 'portico migrations '))
  const { url } = await emptyDatabase()
  const { pool, close } = await openDatabase({ url, log: silentLog, poolSize: 2, statementTimeout })
  onTestFinished(async () => {
    await close()
    await rm(folder, { recursive: true })
  })
  const write = (name: string, sql: string) => writeFile(join(folder, name), sql)
  for (const [name, sql] of Object.entries(files)) await write(name, sql)
  return {
    url,
    folder,
    pool,
    write,
    remove: (name: string) => rm(join(folder, name)),
    run: () => migrate(pool, folder, silentLog),
  }
}

describe('migrate', () => {
  test('applies pending migrations in order and only once', async () => {
    const { pool, run, write } = await world({ '0001_notes.sql': notes })
    expect(await run()).toEqual({ applied: 1 })
    await write('0002_bodies.sql', bodies)
    expect(await run()).toEqual({ applied: 1 })
    expect(await run()).toEqual({ applied: 0 })
    expect((await pool.query('SELECT * FROM notes')).rows).toEqual([{ id: 1, body: 'one' }])
    const { rows } = await pool.query('SELECT number, name, length(checksum) AS sum FROM schema_migrations ORDER BY 1')
    expect(rows).toEqual([
      { number: 1, name: 'notes', sum: 64 },
      { number: 2, name: 'bodies', sum: 64 },
    ])
  })

  test('is done once when four processes start at the same time', async () => {
    const { url, folder, pool } = await world({
      '0001_notes.sql': `SELECT pg_sleep(0.3); ${notes}`,
      '0002_bodies.sql': bodies,
    })
    const program = join(import.meta.dirname, '../../test/migrate-program.ts')
    const start = () => promisify(execFile)(process.execPath, [program, url, folder])
    const outcomes = await Promise.all([start(), start(), start(), start()])
    expect(outcomes.map(({ stdout }) => stdout.trim()).sort()).toEqual(['0', '0', '0', '2'])
    expect((await pool.query('SELECT count(*) FROM notes')).rows).toEqual([{ count: 1 }])
  })

  test('may take longer than the statement timeout of requests, which stays in force', async () => {
    const { pool, run } = await world({ '0001_slow.sql': 'SELECT pg_sleep(1);' }, 500)
    expect(await run()).toEqual({ applied: 1 })
    await expect(pool.query('SELECT pg_sleep(30)')).rejects.toMatchObject({ code: '57014' })
  })

  test('rolls back a failed migration, and retries it on the next start', async () => {
    const { pool, run, write } = await world({ '0001_notes.sql': `${notes} INSERT INTO nowhere VALUES (1);` })
    await expect(run()).rejects.toThrow('migration 0001_notes.sql failed: relation "nowhere" does not exist')
    expect((await pool.query(`SELECT to_regclass('notes') AS notes`)).rows).toEqual([{ notes: null }])
    await write('0001_notes.sql', notes)
    expect(await run()).toEqual({ applied: 1 })
  })

  test('refuses a migration that ends its own transaction', async () => {
    const { run } = await world({ '0001_notes.sql': `${notes} COMMIT;` })
    await expect(run()).rejects.toThrow('ends the transaction it runs in')
  })

  test('accepts a database that a newer Portico has only expanded', async () => {
    const { run, remove } = await world({ '0001_notes.sql': notes, '0002_bodies.sql': bodies })
    await run()
    await remove('0002_bodies.sql')
    expect(await run()).toEqual({ applied: 0 })
  })

  test('refuses a database from which a newer Portico has removed what this one uses', async () => {
    const files = { '0001_notes.sql': notes, '0002_bodies.sql': bodies }
    const { run, remove, write } = await world(files)
    await write('0003_no_notes.sql', '-- needs: 0002\nDROP TABLE notes;')
    await run()
    await remove('0003_no_notes.sql')
    expect(await run()).toEqual({ applied: 0 })
    await remove('0002_bodies.sql')
    await expect(run()).rejects.toMatchObject({
      name: 'StartError',
      message: 'The database was written by a newer Portico (migration 0003 no_notes).',
      hint: 'Start that version or restore a backup.',
    })
    await write('0002_bodies.sql', bodies)
    expect(await run()).toEqual({ applied: 0 })
  })

  test('refuses a newer database of which it is unknown who can serve it', async () => {
    const { run, pool, remove } = await world({ '0001_notes.sql': notes, '0002_bodies.sql': bodies })
    await run()
    await pool.query('ALTER TABLE schema_migrations DROP COLUMN needs')
    expect(await run()).toEqual({ applied: 0 })
    await remove('0002_bodies.sql')
    await expect(run()).rejects.toMatchObject({ name: 'StartError' })
  })

  test('refuses an edited migration, but accepts other line endings', async () => {
    const { run, write } = await world({ '0001_notes.sql': `${notes}\n` })
    await run()
    await write('0001_notes.sql', `${notes}\r\n`)
    expect(await run()).toEqual({ applied: 0 })
    await write('0001_notes.sql', `${notes} -- edited`)
    await expect(run()).rejects.toMatchObject({
      name: 'StartError',
      message: expect.stringContaining('Migration 0001 notes, already applied'),
    })
  })

  test.each([
    [{ '0001_notes.sql': notes, '0003_bodies.sql': bodies }, 'migration 0002 is missing before 0003_bodies.sql'],
    [{ '0001_notes.sql': notes, '0001_other.sql': bodies }, 'two migrations with the number 0001'],
    [{ '1_notes.sql': notes }, '1_notes.sql is not named like a migration'],
  ])('refuses %o', async (files, message) => {
    const { run } = await world(files)
    await expect(run()).rejects.toThrow(message)
  })
})
