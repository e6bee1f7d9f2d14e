import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { gunzipSync, gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  anna,
  boris,
  secondMigration,
  content,
  everything,
  backupFixture,
  filesOf,
  emptyTarget,
} from '../../test/backup-fixture.ts'
import { dataFolder } from '../../test/data-folder.ts'
import { testDatabase } from '../../test/database.ts'
import { databaseProcess } from '../../test/database-process.ts'
import { queryDatabase } from '../../test/query-database.ts'
import { silentLog } from '../../test/silent-log.ts'
import { newFileName } from '../files/file-store.ts'
import { backup } from './backup.ts'
import { findRunning } from '../db/embedded/find-running.ts'
import { runProgram } from '../db/embedded/run-program.ts'
import { startEmbedded } from '../db/embedded/start-embedded.ts'
import { migrate } from '../db/migrate.ts'
import { openDatabase } from '../db/open-database.ts'
import { restore } from './restore.ts'

describe('backup and restore', () => {
  test('bring everything back as it was', async () => {
    const here = await backupFixture()
    expect(await here.backup()).toMatchObject({ file: here.file, rows: 7, files: 1 })
    const there = await emptyTarget(here)
    expect(await there.restore()).toMatchObject({ rows: 7, files: 1 })

    const [restored] = await queryDatabase(there.url, everything)
    expect(restored).toEqual((await queryDatabase(here.url, everything))[0])
    expect(restored).toMatchObject({ people: [{ letters: 5, tags: ['да', null, 'a,b', '{"q"}'] }, { name: '' }] })
    expect(await readFile(join(there.dataDir, 'secret'), 'utf8')).toBe('a secret of at least 32 characters')
    expect((await stat(join(there.dataDir, 'secret'))).mode & 0o777).toBe(0o600)
    expect((await readdir(there.dataDir)).sort()).toEqual(['secret'])
  })

  test('leave references, triggers and numbering in force', async () => {
    const here = await backupFixture()
    await here.backup()
    const there = await emptyTarget(here)
    await there.restore()

    await queryDatabase(there.url, `INSERT INTO letters ("from", body) VALUES ('${boris}', 'new')`)
    expect(await queryDatabase(there.url, `SELECT number FROM letters WHERE body = 'new'`)).toEqual([{ number: '6' }])
    expect(await queryDatabase(there.url, `SELECT letters FROM people WHERE id = '${boris}'`)).toEqual([{ letters: 1 }])
    const stranger = `INSERT INTO letters ("from", body) VALUES (gen_random_uuid(), 'lost')`
    await expect(queryDatabase(there.url, stranger)).rejects.toMatchObject({ code: '23503' })
    const rules = `SELECT conname, pg_get_constraintdef(oid) AS def FROM pg_constraint WHERE contype = 'f' ORDER BY 1`
    expect(await queryDatabase(there.url, rules)).toEqual(await queryDatabase(here.url, rules))
  })

  test('build indexes when the rows are there', async () => {
    const here = await backupFixture()
    await here.backup()
    const there = await emptyTarget(here)
    await there.restore()

    const indexes = `SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1`
    expect(await queryDatabase(there.url, indexes)).toEqual(await queryDatabase(here.url, indexes))
    // What was created later has a higher number.
    const order = `SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace
      AND relname IN ('letters_from', 'people_folded', 'portal') ORDER BY oid`
    const last = (await queryDatabase(there.url, order)).map(({ relname }) => relname)
    expect(last).toEqual(['portal', 'letters_from', 'people_folded'])
  })

  test('give restored rows a transaction number of the new server', async () => {
    const here = await backupFixture()
    await here.backup()
    const there = await emptyTarget(here)
    await there.restore()
    const ahead = `SELECT count(*) FROM people WHERE written_by >= pg_snapshot_xmax(pg_current_snapshot())`
    expect(await queryDatabase(there.url, ahead)).toEqual([{ count: '0' }])
    expect(await queryDatabase(there.url, 'SELECT count(DISTINCT written_by) FROM people')).toEqual([{ count: '1' }])
  })

  test('contain one snapshot despite concurrent writes, and tables of any size', async () => {
    const here = await backupFixture()
    await here.pool.query(
      `INSERT INTO letters ("from", body) SELECT '${anna}', repeat('ж', 1500) FROM generate_series(1, 3000)`,
    )
    const backedUp = new AbortController()
    const writer = (async () => {
      while (!backedUp.signal.aborted)
        await here.pool.query(`INSERT INTO letters ("from", body) VALUES ('${anna}', 'meanwhile')`)
    })()
    const { rows } = await here.backup()
    backedUp.abort()
    await writer

    const there = await emptyTarget(here)
    expect(await there.restore()).toMatchObject({ rows })
    const [person] = await queryDatabase(there.url, `SELECT letters FROM people WHERE id = '${anna}'`)
    const [counted] = await queryDatabase(there.url, `SELECT count(*)::int + 1 AS letters FROM letters`)
    expect(counted).toEqual(person)
  })

  test('make an archive that only its owner can read and any tar can list', async () => {
    const here = await backupFixture()
    await here.backup()
    expect((await stat(here.file)).mode & 0o777).toBe(0o600)
    const { output } = await runProgram('tar', ['-tzf', here.file])
    expect(output.split('\n')).toEqual([
      'manifest.json',
      'files/secret',
      'tables/letters/0001.copy',
      'tables/people/0001.copy',
      'tables/portal/0001.copy',
      'complete.json',
    ])
  })

  test('bring an older backup up to date', async () => {
    const here = await backupFixture()
    await here.backup()
    await writeFile(join(here.migrations, '0002_second.sql'), secondMigration)
    const there = await emptyTarget(here)
    await there.restore()
    expect(await queryDatabase(there.url, 'SELECT max(number) FROM schema_migrations')).toEqual([{ max: 2 }])
    expect(await queryDatabase(there.url, 'SELECT count(length) FROM letters')).toEqual([{ count: '4' }])
  })

  test('refuse a backup of a newer Portico', async () => {
    const here = await backupFixture()
    await writeFile(join(here.migrations, '0002_second.sql'), secondMigration)
    await migrate(here.pool, here.migrations, silentLog)
    await here.backup()
    await rm(join(here.migrations, '0002_second.sql'))
    await expect((await emptyTarget(here)).restore()).rejects.toMatchObject({
      name: 'StartError',
      message: 'The backup was written by a newer Portico (migration 0002 second).',
    })
  })

  test('do not replace existing data without --force', async () => {
    const here = await backupFixture()
    await here.backup()
    const there = await emptyTarget(here)
    await there.restore()
    await expect(there.restore()).rejects.toMatchObject({
      message: expect.stringContaining('already holds files'),
      hint: expect.stringContaining('--force'),
    })
    await rm(there.dataDir, { recursive: true })
    await expect(there.restore()).rejects.toMatchObject({ message: 'The database is not empty.' })

    await queryDatabase(there.url, 'UPDATE people SET favorite = NULL; DELETE FROM letters')
    await there.restore({ force: true })
    expect((await queryDatabase(there.url, everything))[0]).toEqual((await queryDatabase(here.url, everything))[0])
  })

  test('do not replace a database that a Portico is using', async () => {
    const here = await backupFixture()
    await here.backup()
    const inUse = restore({
      ...here,
      store: filesOf(here.dataDir),
      address: { url: here.url },
      force: true,
      log: silentLog,
    })
    await expect(inUse).rejects.toMatchObject({ message: 'Portico is still running on this data.' })
  })

  test.each([
    ['is cut short', (bytes: Buffer) => bytes.subarray(0, bytes.length * 0.7)],
    ['is only the beginning of one', (bytes: Buffer) => gzipSync(withoutLastEntry(gunzipSync(bytes)))],
    ['fails its checksum', (bytes: Buffer) => Buffer.concat([bytes.subarray(0, -8), Buffer.alloc(8)])],
    ['lacks a row', (bytes: Buffer) => gzipSync(withoutLastLetter(gunzipSync(bytes)))],
    ['is something else', () => gzipSync('hello'.repeat(1000))],
    ['is not even compressed', () => Buffer.from('hello')],
  ])('change nothing when the file %s', async (_, damage) => {
    const here = await backupFixture()
    await here.backup()
    const there = await emptyTarget(here)
    await there.restore()
    const before = await queryDatabase(there.url, everything)
    const damaged = join(here.folder, 'damaged')
    await writeFile(damaged, damage(await readFile(here.file)))

    await expect(there.restore({ force: true, file: damaged })).rejects.toMatchObject({
      name: 'StartError',
      hint: expect.stringContaining('Nothing was changed'),
    })
    expect(await queryDatabase(there.url, everything)).toEqual(before)
    expect((await readdir(there.dataDir)).sort()).toEqual(['secret'])
  })

  test('leave no half-written backup behind, and keep the older one', async () => {
    const here = await backupFixture()
    await here.backup()
    const before = await readFile(here.file)
    await here.pool.query('ALTER TABLE letters RENAME TO schema_migrations_of_letters; DROP TABLE schema_migrations')
    await expect(here.backup()).rejects.toThrow('no portal in this database')
    expect(await readdir(join(here.file, '..'))).toEqual(['today.portico-backup'])
    expect(await readFile(here.file)).toEqual(before)
  })

  test('support the current schema', async () => {
    const migrations = join(import.meta.dirname, '../../migrations')
    const { url } = await testDatabase()
    const dataDir = await dataFolder()
    const file = join(dataDir, '..', 'today.portico-backup')
    await backup({ address: { url }, dataDir, store: filesOf(dataDir), file })
    const there = await emptyTarget({ migrations, file })
    await there.restore()

    const schema = `
      SELECT (SELECT jsonb_agg(jsonb_build_array(conrelid::regclass, conname, pg_get_constraintdef(oid)) ORDER BY 1)
                FROM pg_constraint WHERE connamespace = 'public'::regnamespace) AS constraints,
             (SELECT jsonb_agg(jsonb_build_array(tgrelid::regclass, tgname, tgenabled) ORDER BY 1)
                FROM pg_trigger WHERE NOT tgisinternal) AS triggers,
             (SELECT jsonb_agg(jsonb_build_array(number, name, checksum) ORDER BY 1) FROM schema_migrations) AS migrations,
             (SELECT jsonb_agg(instance) FROM instance) AS instance`
    const sorted = async (address: string) => {
      const [row = {}] = await queryDatabase(address, schema)
      return Object.entries(row).map(([name, list]) => [
        name,
        Array.isArray(list) && list.map((item) => JSON.stringify(item)).sort(),
      ])
    }
    expect(await sorted(there.url)).toEqual(await sorted(url))

    // A transaction number has no meaning on another server, so such a column needs a default.
    const positions = `SELECT attrelid::regclass::text, attname FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
      WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND atttypid = 'xid8'::regtype AND NOT atthasdef`
    expect(await queryDatabase(url, positions)).toEqual([])
  })

  test('contain the stored files, and forget none of a database that is replaced', async () => {
    const migrations = join(import.meta.dirname, '../../migrations')
    const { url } = await testDatabase()
    const dataDir = await dataFolder()
    await mkdir(dataDir)
    const store = filesOf(dataDir)
    const [used, lost, unused] = [newFileName(), newFileName(), newFileName()]
    for (const name of [used, unused]) await store.put(name, Buffer.from(name), name.length)
    await queryDatabase(url, `INSERT INTO files VALUES ('${used}', NULL), ('${lost}', NULL), ('${unused}', DEFAULT)`)
    const file = join(dataDir, '..', 'today.portico-backup')
    expect(await backup({ address: { url }, dataDir, store, file })).toMatchObject({ files: 1, missing: 1 })

    const there = await emptyTarget({ migrations, file })
    await there.restore()
    const restored = await filesOf(there.dataDir).get(used)
    expect(restored && (await text(restored.body))).toBe(used)
    expect(await filesOf(there.dataDir).get(unused)).toBeUndefined()

    const added = newFileName()
    await queryDatabase(there.url, `INSERT INTO files VALUES ('${added}', NULL)`)
    await there.restore({ force: true })
    const expired = `SELECT name FROM files WHERE expires_at <= now()`
    expect(await queryDatabase(there.url, expired)).toEqual([{ name: added }])

    const truncated = join(dataDir, '..', 'truncated')
    await writeFile(truncated, gzipSync(gunzipSync(await readFile(file)).subarray(0, -5000)))
    const failed = await emptyTarget({ migrations, file: truncated })
    await expect(failed.restore()).rejects.toMatchObject({ hint: expect.stringContaining('Nothing was changed') })
    expect(await filesOf(failed.dataDir).get(used)).toBeUndefined()
  })

  test('work while Portico is running, and into a new data folder', async () => {
    const { file, migrations } = await backupFixture()
    const source = await dataFolder()
    const program = databaseProcess(source)
    const { connection } = await program.waitFor('ready')
    const database = await openDatabase({ connection, log: silentLog })
    await migrate(database.pool, migrations, silentLog)
    await database.pool.query(content)
    await database.close()

    const running = await findRunning(source)
    const store = filesOf(source)
    await backup({ address: { connection: running! }, dataDir: source, store, file })
    await expect(
      restore({
        address: { connection: running! },
        dataDir: source,
        store,
        file,
        migrations,
        log: silentLog,
        force: true,
      }),
    ).rejects.toMatchObject({ message: 'Portico is still running on this data.' })
    expect(await program.stop()).toBe(0)

    const target = await dataFolder()
    const embedded = await startEmbedded({ dataDir: target, log: silentLog })
    onTestFinished(() => embedded.stop())
    const address = { connection: embedded.connection }
    const summary = await restore({
      address,
      dataDir: target,
      store: filesOf(target),
      file,
      migrations,
      log: silentLog,
    })
    expect(summary).toMatchObject({ rows: 7, files: 0 })
    const { pool, close } = await openDatabase({ ...address, log: silentLog })
    expect((await pool.query('SELECT name FROM portal')).rows).toEqual([{ name: 'Наш портал' }])
    await close()
  })
})

function withoutLastEntry(tar: Buffer): Buffer {
  return Buffer.concat([tar.subarray(0, tar.indexOf('complete.json')), Buffer.alloc(1024)])
}

/** Replaces the last row of `letters` with a second end marker, in an otherwise valid tar. */
function withoutLastLetter(tar: Buffer): Buffer {
  const changed = Buffer.from(tar)
  const row = changed.indexOf('\n4\t') + 1
  changed[row - 1] = 0x20
  return changed
}
