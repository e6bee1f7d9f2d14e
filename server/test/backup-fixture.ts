import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { dataFolder } from './data-folder.ts'
import { emptyDatabase } from './database.ts'
import type { FileStore } from '../src/files/file-store.ts'
import { diskStore } from '../src/files/disk-store.ts'
import { silentLog } from './silent-log.ts'
import { backup } from '../src/backup/backup.ts'
import { migrate } from '../src/db/migrate.ts'
import { openDatabase } from '../src/db/open-database.ts'
import { restore } from '../src/backup/restore.ts'

const firstMigration = `
  CREATE TABLE people (
    id uuid PRIMARY KEY,
    name text NOT NULL,
    folded text GENERATED ALWAYS AS (lower(name)) STORED,
    best_friend uuid REFERENCES people,
    favorite bigint,
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
  ALTER TABLE people ADD CONSTRAINT people_favorite FOREIGN KEY (favorite) REFERENCES letters DEFERRABLE INITIALLY DEFERRED;
  CREATE INDEX letters_from ON letters ("from");
  CREATE UNIQUE INDEX people_folded ON people (folded, id) WHERE name <> '';
  CREATE TABLE portal (only_row boolean PRIMARY KEY DEFAULT true, name text NOT NULL);
  INSERT INTO portal (name) VALUES ('as migrated');
  CREATE FUNCTION count_letters() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN UPDATE people SET letters = letters + 1 WHERE id = NEW."from"; RETURN NULL; END $$;
  CREATE TRIGGER letters_counted AFTER INSERT ON letters FOR EACH ROW EXECUTE FUNCTION count_letters();`
export const secondMigration = `ALTER TABLE letters ADD COLUMN length integer; UPDATE letters SET length = char_length(body);`

export const anna = '01890000-0000-7000-8000-000000000001'
export const boris = '01890000-0000-7000-8000-000000000002'

export const content = `
  INSERT INTO people (id, name, picture, tags, settings) VALUES
    ('${anna}', E'Анна «Ёж» 🦔\\t\\\\N\\n\\\\.', '\\x00ff0a5c', ARRAY['да', NULL, 'a,b', '{"q"}'], '{"тема": ["тёмная", 1.50]}'),
    ('${boris}', '', NULL, '{}', '{}');
  UPDATE people SET best_friend = '${boris}' WHERE id = '${anna}';
  UPDATE people SET best_friend = '${anna}' WHERE id = '${boris}';
  INSERT INTO letters ("from", body) SELECT '${anna}', 'письмо ' || n FROM generate_series(1, 5) n;
  UPDATE people SET favorite = 3 WHERE id = '${boris}';
  DELETE FROM letters WHERE number = 5;
  UPDATE portal SET name = 'Наш портал';`

export const everything = `
  SELECT (SELECT jsonb_agg(to_jsonb(people) - 'written_by' ORDER BY id) FROM people) AS people,
         (SELECT jsonb_agg(to_jsonb(letters) - 'length' ORDER BY number) FROM letters) AS letters,
         (SELECT jsonb_agg(portal) FROM portal) AS portal`

/** The file storage in a data folder. */
export function filesOf(dataDir: string): FileStore {
  return diskStore(join(dataDir, 'files'), { isMade: true })
}

/** A small database with files, and functions to back it up. */
export async function backupFixture() {
  const folder = await mkdtemp(join(tmpdir(), 'portico backup '))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const migrations = join(folder, 'migrations')
  await mkdir(migrations)
  await writeFile(join(migrations, '0001_first.sql'), firstMigration)
  const dataDir = join(folder, 'data')
  const { url } = await emptyDatabase()
  const database = await openDatabase({ url, log: silentLog })
  await migrate(database.pool, migrations, silentLog)
  await database.pool.query(content)
  await mkdir(dataDir)
  await writeFile(join(dataDir, 'secret'), 'a secret of at least 32 characters')
  await writeFile(join(dataDir, 'postgres.log'), 'not to be backed up')
  onTestFinished(() => database.close())
  const file = join(folder, 'backups', 'today.portico-backup')
  await mkdir(dirname(file))
  return {
    url,
    pool: database.pool,
    folder,
    file,
    migrations,
    dataDir,
    backup: () => backup({ address: { url }, dataDir, store: filesOf(dataDir), file }),
  }
}

/** An empty database and data folder to restore to. */
export async function emptyTarget({ migrations, file }: { migrations: string; file: string }) {
  const { url } = await emptyDatabase()
  const dataDir = await dataFolder()
  return {
    url,
    dataDir,
    restore: (more: { force?: boolean; file?: string } = {}) =>
      restore({ address: { url }, dataDir, store: filesOf(dataDir), file, migrations, log: silentLog, ...more }),
  }
}
