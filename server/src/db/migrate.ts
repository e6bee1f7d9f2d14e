import type { ClientBase, Pool } from 'pg'
import type { Log } from './log.ts'
import { type Migration, numbered, readMigrations } from './migration-files.ts'
import { StartError } from './start-error.ts'

/** In milliseconds: the longest delay of a timer, 24 days. */
const MAX_TIMEOUT = 2 ** 31 - 1

/** An arbitrary number that other programs on the same server don't use. */
const MIGRATIONS_LOCK = '8104642174537359'

interface Applied {
  number: number
  name: string
  checksum: string
  /** As in `Migration`. Null if it is unknown. */
  needs: number | null
}

/** The migrations that were applied to a database; none if it is not a Portico database. */
export async function appliedMigrations(client: ClientBase | Pool): Promise<Applied[]> {
  const { rows: found } = await client.query(`SELECT to_regclass('schema_migrations') AS name`)
  if (found[0].name === null) return []
  // The column may be missing.
  const { rows } = await client.query<Applied>(
    `SELECT number, name, checksum, (to_jsonb(m) ->> 'needs')::integer AS needs FROM schema_migrations m ORDER BY number`,
  )
  return rows
}

/** The migrations that a start would apply. Throws for a database that an incompatible version wrote, as a start does. */
export async function pendingMigrations(client: ClientBase | Pool, folder: string): Promise<Migration[]> {
  const migrations = await readMigrations(folder)
  const applied = await appliedMigrations(client)
  compare(applied, migrations)
  return migrations.slice(applied.length)
}

/**
 * Applies all pending migrations. Several processes may call this concurrently: one migrates, the others wait for it and
 * then find nothing to do.
 */
export async function migrate(pool: Pool, folder: string, log: Log): Promise<{ applied: number }> {
  const migrations = await readMigrations(folder)
  const client = await pool.connect()
  try {
    await lockMigrations(client, log)
    await client.query(historyTable)
    const applied = await appliedMigrations(client)
    compare(applied, migrations)
    const pending = migrations.slice(applied.length)
    if (applied.length > migrations.length) log.warn('the database was migrated by a newer Portico: finish the upgrade')
    for (const migration of pending) {
      await client.query('BEGIN')
      await applyMigration(client, migration, log)
      await client.query('COMMIT')
    }
    return { applied: pending.length }
  } finally {
    // Closes the connection, which releases the lock and discards the session's settings.
    client.release(true)
  }
}

/** An unconditional ALTER TABLE would wait for a running backup, and everyone else for that. */
export const historyTable = `CREATE TABLE IF NOT EXISTS schema_migrations (
  number integer PRIMARY KEY, name text NOT NULL, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now(),
  needs integer
);
DO $$ BEGIN
  IF NOT EXISTS (
    SELECT FROM pg_attribute WHERE attrelid = 'schema_migrations'::regclass AND attname = 'needs' AND NOT attisdropped
  ) THEN ALTER TABLE schema_migrations ADD COLUMN needs integer; END IF;
END $$`

/** Makes this session the only one that may change the schema until it ends. It has no statement timeout. */
export async function lockMigrations(client: ClientBase, log: Log): Promise<void> {
  await client.query(
    // With an empty name, the process that serves the database is notified of the changes.
    `SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0; SET portico.server = ''`,
  )
  const { rows } = await client.query(`SELECT pg_try_advisory_lock(${MIGRATIONS_LOCK}) AS taken`)
  if (rows[0].taken) return
  log.info('waiting for another process to finish migrating the database')
  await client.query(unlimited(`SELECT pg_advisory_lock(${MIGRATIONS_LOCK})`))
}

/** Overrides the pool's statement timeout, which is meant for requests. */
function unlimited(text: string): { text: string } {
  const statement = { text, query_timeout: MAX_TIMEOUT }
  return statement
}

/**
 * While nodes are upgraded one by one, one of the previous version may restart: it serves a migrated database as long as
 * that still has everything that this version uses.
 */
function compare(applied: Applied[], migrations: Migration[]): void {
  const newer = applied.slice(migrations.length)
  const tooNew = newer.findLast(({ needs }) => needs === null || needs > migrations.length)
  if (tooNew) {
    throw new StartError(
      `The database was written by a newer Portico (migration ${numbered(tooNew.number)} ${tooNew.name}).`,
      'Start that version or restore a backup.',
    )
  }
  for (const [index, { number, name, checksum }] of applied.slice(0, migrations.length).entries()) {
    const migration = migrations[index]
    if (number === migration?.number && checksum === migration.checksum) continue
    throw new StartError(
      `Migration ${numbered(number)} ${name}, already applied to this database, is not the one this Portico has.`,
      'Start the version that wrote the database, or restore a backup. Applied migrations are never edited: add a new one.',
    )
  }
}

/** Applies one migration in the caller's transaction. */
export async function applyMigration(client: ClientBase, migration: Migration, log: Log): Promise<void> {
  const { number, name, sql, checksum, needs } = migration
  const start = performance.now()
  try {
    await client.query(unlimited(sql))
    if (client.getTransactionStatus() !== 'T') throw new Error('it ends the transaction it runs in')
    await client.query('INSERT INTO schema_migrations (number, name, checksum, needs) VALUES ($1, $2, $3, $4)', [
      number,
      name,
      checksum,
      needs,
    ])
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`migration ${numbered(number)}_${name}.sql failed: ${reason}`, { cause: error })
  }
  log.info({ ms: Math.round(performance.now() - start) }, `migrated the database: ${numbered(number)} ${name}`)
}
