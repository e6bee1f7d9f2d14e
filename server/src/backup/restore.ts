import { createReadStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { Client } from 'pg'
import type { FileStore } from '../files/file-store.ts'
import { allFiles, expireFiles } from '../files/stored-files.ts'
import { listKeptFiles, moveIntoPlace } from './archive/data-files.ts'
import { type Loaded, loadArchive } from './archive/load-archive.ts'
import { readTar } from './archive/read-tar.ts'
import { isHeldElsewhere } from '../db/embedded/folder-lock.ts'
import type { Log } from '../db/log.ts'
import { makeDataFolder } from '../db/make-data-folder.ts'
import { lockMigrations } from '../db/migrate.ts'
import { type Migration, readMigrations } from '../db/migration-files.ts'
import { type Address, openClient } from '../db/open-database.ts'
import { StartError } from '../db/start-error.ts'

export interface RestoreOptions {
  address: Address
  dataDir: string
  store: FileStore
  file: string
  /** The folder of this program's migrations. */
  migrations: string
  /** Replace existing data. */
  force?: boolean
  log: Log
  /** Called in the same transaction, for data that must not be restored as it was. */
  whenLoaded?: (client: Client) => Promise<void>
}

/**
 * Restores a backup into an empty database, or with `force` into any. The database changes in one transaction. Stored files
 * are added before it, under names that nothing else has, and the rest of the data folder is replaced after it, so a restore
 * that fails changes nothing.
 */
export async function restore(options: RestoreOptions): Promise<Loaded> {
  const { dataDir, force = false } = options
  const migrations = await readMigrations(options.migrations)
  await makeDataFolder(dataDir)
  if (isHeldElsewhere(dataDir)) throw inUse()
  const [present] = await listKeptFiles(dataDir)
  if (present && !force) throw occupied(`The data folder ${dataDir} already holds files (${present}, …).`)

  const staging = await mkdtemp(join(dataDir, 'restoring-'))
  const loaded = await loadAll({ ...options, force }, migrations, staging).catch(async (error: unknown) => {
    await rm(staging, { recursive: true, force: true })
    throw error
  })
  // The database is restored now: files that are not in place yet must not be deleted.
  await moveIntoPlace(staging, dataDir)
  return loaded
}

async function loadAll(options: RestoreOptions, migrations: Migration[], staging: string) {
  const { address, file, force, log, store } = options
  const added: string[] = []
  const client = await openClient(address)
  try {
    await lockMigrations(client, log)
    await client.query('BEGIN')
    const replaced = await makeRoom(client, force === true)
    const loaded = await loadArchive(readTar(unzip(file)), { client, migrations, staging, store, added, log })
    await expireFiles(client, replaced)
    await options.whenLoaded?.(client)
    await client.query('ANALYZE')
    await client.query('COMMIT')
    return loaded
  } catch (error) {
    await store.delete(added)
    if (error instanceof StartError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new StartError(
      `The backup ${file} could not be restored: ${reason}.`,
      'Nothing was changed. Check that this is the right file and that it is complete (gzip -t), or use an older one.',
      { cause: error },
    )
  } finally {
    await client.end()
  }
}

/** Errors of the input surface to the reader of the output. */
function unzip(file: string): AsyncIterable<Buffer> {
  return pipeline(createReadStream(file), createGunzip(), () => {})
}

/** Returns the names of the stored files of the database that is replaced. */
async function makeRoom(client: Client, force: boolean): Promise<string[]> {
  const { rows: others } = await client.query(
    `SELECT 1 FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'portico' AND pid <> pg_backend_pid()`,
  )
  if (others.length > 0) throw inUse()
  const { rows: relations } = await client.query(
    `SELECT 1 FROM pg_class WHERE relnamespace = 'public'::regnamespace LIMIT 1`,
  )
  if (relations.length === 0) return []
  if (!force) throw occupied('The database is not empty.')
  const replaced = await allFiles(client)
  await client.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public')
  return replaced
}

function inUse(): StartError {
  return new StartError('Portico is still running on this data.', 'Stop it first, then restore.')
}

function occupied(problem: string): StartError {
  return new StartError(
    problem,
    'Restore into a new data folder (PORTICO_DATA) or an empty database. To replace everything there, add --force.',
  )
}
