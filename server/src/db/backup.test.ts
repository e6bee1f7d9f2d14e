import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { dataFolder } from '../../test/data-folder.ts'
import { emptyDatabase, testDatabase } from '../../test/database.ts'
import { databaseProcess } from '../../test/database-process.ts'
import { queryDatabase } from '../../test/query-database.ts'
import { silentLog } from '../../test/silent-log.ts'
import { backup } from './backup.ts'
import { findRunning } from './embedded/find-running.ts'
import { runProgram } from './embedded/run-program.ts'
import { startEmbedded } from './embedded/start-embedded.ts'
import { migrate } from './migrate.ts'
import { openDatabase } from './open-database.ts'
import { restore } from './restore.ts'

const first = `
  CREATE TABLE people (
    id uuid PRIMARY KEY,
    name text NOT NULL,
    folded text GENERATED ALWAYS AS (lower(name)) STORED,
    best_friend uuid REFERENCES people,
    favourite bigint,
    picture bytea,
    tags text[],
    settings jsonb NOT NULL DEFAULT '{}',
    letters integer NOT NULL DEFAULT 0,
    seen_at timestamptz NOT NULL DEFAULT '2024-01-02 03:04:05.678901Z',
    written_by xid8 NOT NULL DEFAULT pg_current_xact_id()
  );
  CREATE TABLE letters (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    "from" uuid NOT NULL REFERENCES people ON DELETE CASCADE,
    body text NOT NULL
  );
  ALTER TABLE people ADD CONSTRAINT people_favourite FOREIGN KEY (favourite) REFERENCES letters DEFERRABLE INITIALLY DEFERRED;
  CREATE TABLE portal (only_row boolean PRIMARY KEY DEFAULT true, name text NOT NULL);
  INSERT INTO portal (name) VALUES ('as migrated');
  CREATE FUNCTION count_letters() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN UPDATE people SET letters = letters + 1 WHERE id = NEW."from"; RETURN NULL; END $$;
  CREATE TRIGGER letters_counted AFTER INSERT ON letters FOR EACH ROW EXECUTE FUNCTION count_letters();`
const second = `ALTER TABLE letters ADD COLUMN length integer; UPDATE letters SET length = char_length(body);`

const anna = '01890000-0000-7000-8000-000000000001'
const boris = '01890000-0000-7000-8000-000000000002'

const content = `
  INSERT INTO people (id, name, picture, tags, settings) VALUES
    ('${anna}', E'Анна «Ёж» 🦔\\t\\\\N\\n\\\\.', '\\x00ff0a5c', ARRAY['да', NULL, 'a,b', '{"q"}'], '{"тема": ["тёмная", 1.50]}'),
    ('${boris}', '', NULL, '{}', '{}');
  UPDATE people SET best_friend = '${boris}' WHERE id = '${anna}';
  UPDATE people SET best_friend = '${anna}' WHERE id = '${boris}';
  INSERT INTO letters ("from", body) SELECT '${anna}', 'письмо ' || n FROM generate_series(1, 5) n;
  UPDATE people SET favourite = 3 WHERE id = '${boris}';
  DELETE FROM letters WHERE number = 5;
  UPDATE portal SET name = 'Наш портал';`

const everything = `
  SELECT (SELECT jsonb_agg(to_jsonb(people) - 'written_by' ORDER BY id) FROM people) AS people,
         (SELECT jsonb_agg(to_jsonb(letters) - 'length' ORDER BY number) FROM letters) AS letters,
         (SELECT jsonb_agg(portal) FROM portal) AS portal`

async function world() {
  const folder = await mkdtemp(join(tmpdir(), 'portico backup '))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const migrations = join(folder, 'migrations')
  await mkdir(migrations)
  await writeFile(join(migrations, '0001_first.sql'), first)
  const dataDir = join(folder, 'data')
  const { url } = await emptyDatabase()
  const database = await openDatabase({ url, log: silentLog })
  await migrate(database.pool, migrations, silentLog)
  await database.pool.query(content)
  await mkdir(join(dataDir, 'media', 'avatars'), { recursive: true })
  await writeFile(join(dataDir, 'secret'), 'a secret of at least 32 characters')
  await writeFile(join(dataDir, 'media', 'avatars', 'анна.png'), Buffer.from([0, 1, 2, 255]))
  await writeFile(join(dataDir, 'media', 'empty'), '')
  await writeFile(join(dataDir, 'postgres.log'), 'not to be backed up')
  onTestFinished(() => database.close())
  const file = join(folder, 'backups', 'today.portico-backup')
  return {
    url,
    pool: database.pool,
    folder,
    file,
    migrations,
    dataDir,
    backup: () => backup({ address: { url }, dataDir, file }),
  }
}

/** An empty database and data folder to restore to. */
async function elsewhere({ migrations, file }: { migrations: string; file: string }) {
  const { url } = await emptyDatabase()
  const dataDir = await dataFolder()
  return {
    url,
    dataDir,
    restore: (more: { force?: boolean; file?: string } = {}) =>
      restore({ address: { url }, dataDir, file, migrations, log: silentLog, ...more }),
  }
}

describe('backup and restore', () => {
  test('bring everything back as it was', async () => {
    const here = await world()
    expect(await here.backup()).toMatchObject({ file: here.file, rows: 7, files: 3 })
    const there = await elsewhere(here)
    expect(await there.restore()).toMatchObject({ rows: 7, files: 3 })

    const [restored] = await queryDatabase(there.url, everything)
    expect(restored).toEqual((await queryDatabase(here.url, everything))[0])
    expect(restored).toMatchObject({ people: [{ letters: 5, tags: ['да', null, 'a,b', '{"q"}'] }, { name: '' }] })
    expect(await readFile(join(there.dataDir, 'media/avatars/анна.png'))).toEqual(Buffer.from([0, 1, 2, 255]))
    expect(await readFile(join(there.dataDir, 'secret'), 'utf8')).toBe('a secret of at least 32 characters')
    expect((await stat(join(there.dataDir, 'secret'))).mode & 0o777).toBe(0o600)
    expect((await readdir(there.dataDir)).sort()).toEqual(['media', 'secret'])
  })

  test('leave references, triggers and numbering in force', async () => {
    const here = await world()
    await here.backup()
    const there = await elsewhere(here)
    await there.restore()

    await queryDatabase(there.url, `INSERT INTO letters ("from", body) VALUES ('${boris}', 'new')`)
    expect(await queryDatabase(there.url, `SELECT number FROM letters WHERE body = 'new'`)).toEqual([{ number: '6' }])
    expect(await queryDatabase(there.url, `SELECT letters FROM people WHERE id = '${boris}'`)).toEqual([{ letters: 1 }])
    const stranger = `INSERT INTO letters ("from", body) VALUES (gen_random_uuid(), 'lost')`
    await expect(queryDatabase(there.url, stranger)).rejects.toMatchObject({ code: '23503' })
    const rules = `SELECT conname, pg_get_constraintdef(oid) AS def FROM pg_constraint WHERE contype = 'f' ORDER BY 1`
    expect(await queryDatabase(there.url, rules)).toEqual(await queryDatabase(here.url, rules))
  })

  test('give restored rows a transaction number of the new server', async () => {
    const here = await world()
    await here.backup()
    const there = await elsewhere(here)
    await there.restore()
    const ahead = `SELECT count(*) FROM people WHERE written_by >= pg_snapshot_xmax(pg_current_snapshot())`
    expect(await queryDatabase(there.url, ahead)).toEqual([{ count: '0' }])
    expect(await queryDatabase(there.url, 'SELECT count(DISTINCT written_by) FROM people')).toEqual([{ count: '1' }])
  })

  test('contain one snapshot despite concurrent writes, and tables of any size', async () => {
    const here = await world()
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

    const there = await elsewhere(here)
    expect(await there.restore()).toMatchObject({ rows })
    const [person] = await queryDatabase(there.url, `SELECT letters FROM people WHERE id = '${anna}'`)
    const [counted] = await queryDatabase(there.url, `SELECT count(*)::int + 1 AS letters FROM letters`)
    expect(counted).toEqual(person)
  })

  test('make an archive that only its owner can read and any tar can list', async () => {
    const here = await world()
    await here.backup()
    expect((await stat(here.file)).mode & 0o777).toBe(0o600)
    const { output } = await runProgram('tar', ['-tzf', here.file])
    expect(output.split('\n').filter((line) => !line.includes('avatars'))).toEqual([
      'manifest.json',
      'files/media/empty',
      'files/secret',
      'tables/letters/0001.copy',
      'tables/people/0001.copy',
      'tables/portal/0001.copy',
      'complete.json',
    ])
  })

  test('bring an older backup up to date', async () => {
    const here = await world()
    await here.backup()
    await writeFile(join(here.migrations, '0002_second.sql'), second)
    const there = await elsewhere(here)
    await there.restore()
    expect(await queryDatabase(there.url, 'SELECT max(number) FROM schema_migrations')).toEqual([{ max: 2 }])
    expect(await queryDatabase(there.url, 'SELECT count(length) FROM letters')).toEqual([{ count: '4' }])
  })

  test('refuse a backup of a newer Portico', async () => {
    const here = await world()
    await writeFile(join(here.migrations, '0002_second.sql'), second)
    await migrate(here.pool, here.migrations, silentLog)
    await here.backup()
    await rm(join(here.migrations, '0002_second.sql'))
    await expect((await elsewhere(here)).restore()).rejects.toMatchObject({
      name: 'StartError',
      message: 'The backup was written by a newer Portico (migration 0002 second).',
    })
  })

  test('do not replace existing data without --force', async () => {
    const here = await world()
    await here.backup()
    const there = await elsewhere(here)
    await there.restore()
    await expect(there.restore()).rejects.toMatchObject({
      message: expect.stringContaining('already holds files'),
      hint: expect.stringContaining('--force'),
    })
    await rm(there.dataDir, { recursive: true })
    await expect(there.restore()).rejects.toMatchObject({ message: 'The database is not empty.' })

    await queryDatabase(there.url, 'UPDATE people SET favourite = NULL; DELETE FROM letters')
    await there.restore({ force: true })
    expect((await queryDatabase(there.url, everything))[0]).toEqual((await queryDatabase(here.url, everything))[0])
  })

  test('do not replace a database that a Portico is using', async () => {
    const here = await world()
    await here.backup()
    const inUse = restore({ ...here, address: { url: here.url }, force: true, log: silentLog })
    await expect(inUse).rejects.toMatchObject({ message: 'A Portico is running on what would be replaced.' })
  })

  test.each([
    ['is cut short', (bytes: Buffer) => bytes.subarray(0, bytes.length * 0.7)],
    ['is only the beginning of one', (bytes: Buffer) => gzipSync(withoutLastEntry(gunzipSync(bytes)))],
    ['fails its checksum', (bytes: Buffer) => Buffer.concat([bytes.subarray(0, -8), Buffer.alloc(8)])],
    ['lacks a row', (bytes: Buffer) => gzipSync(withoutLastLetter(gunzipSync(bytes)))],
    ['is something else', () => gzipSync('hello'.repeat(1000))],
    ['is not even compressed', () => Buffer.from('hello')],
  ])('change nothing when the file %s', async (_, damage) => {
    const here = await world()
    await here.backup()
    const there = await elsewhere(here)
    await there.restore()
    const before = await queryDatabase(there.url, everything)
    const damaged = join(here.folder, 'damaged')
    await writeFile(damaged, damage(await readFile(here.file)))

    await expect(there.restore({ force: true, file: damaged })).rejects.toMatchObject({
      name: 'StartError',
      hint: expect.stringContaining('Nothing was changed'),
    })
    expect(await queryDatabase(there.url, everything)).toEqual(before)
    expect((await readdir(there.dataDir)).sort()).toEqual(['media', 'secret'])
  })

  test('leave no half-written backup behind, and keep the older one', async () => {
    const here = await world()
    await here.backup()
    const before = await readFile(here.file)
    await here.pool.query('ALTER TABLE letters RENAME TO schema_migrations_of_letters; DROP TABLE schema_migrations')
    await expect(here.backup()).rejects.toThrow('no Portico in this database')
    expect(await readdir(join(here.file, '..'))).toEqual(['today.portico-backup'])
    expect(await readFile(here.file)).toEqual(before)
  })

  test('support the current schema', async () => {
    const migrations = join(import.meta.dirname, '../../migrations')
    const { url } = await testDatabase()
    const dataDir = await dataFolder()
    const file = join(dataDir, '..', 'today.portico-backup')
    await backup({ address: { url }, dataDir, file })
    const there = await elsewhere({ migrations, file })
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

  test('work while Portico is running, and into a new data folder', async () => {
    const { file, migrations } = await world()
    const source = await dataFolder()
    const program = databaseProcess(source)
    const { connection } = await program.waitFor('ready')
    const database = await openDatabase({ connection, log: silentLog })
    await migrate(database.pool, migrations, silentLog)
    await database.pool.query(content)
    await database.close()

    const running = await findRunning(source)
    await backup({ address: { connection: running! }, dataDir: source, file })
    await expect(
      restore({ address: { connection: running! }, dataDir: source, file, migrations, log: silentLog, force: true }),
    ).rejects.toMatchObject({ message: 'A Portico is running on what would be replaced.' })
    expect(await program.stop()).toBe(0)

    const target = await dataFolder()
    const embedded = await startEmbedded({ dataDir: target, log: silentLog })
    onTestFinished(() => embedded.stop())
    const address = { connection: embedded.connection }
    const summary = await restore({ address, dataDir: target, file, migrations, log: silentLog })
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
