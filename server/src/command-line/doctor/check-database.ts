import { realpath } from 'node:fs/promises'
import { COMMAND } from '../../config/command.ts'
import type { Config } from '../../config/config.ts'
import { allowedConnections, neededConnections } from '../../db/connection-limit.ts'
import { findRunning } from '../../db/embedded/find-running.ts'
import { isMissing } from '../../db/embedded/file-errors.ts'
import { findClusters } from '../../db/embedded/place.ts'
import { startEmbedded } from '../../db/embedded/start-embedded.ts'
import { pendingMigrations } from '../../db/migrate.ts'
import { numbered } from '../../db/migration-files.ts'
import { openDatabase, type Database } from '../../db/open-database.ts'
import { StartError } from '../../db/start-error.ts'
import type { Log } from '../../telemetry/log.ts'
import { MIGRATIONS } from '../../db/open-storage.ts'
import { hasSecret, isForeignSecret } from '../../secrets/secret-verifier.ts'
import { keptSecret, openSecret } from '../../secrets/secret.ts'
import { checkWebhooks } from './check-webhooks.ts'
import { driftOf } from './check-clock.ts'
import { failure, ok, warning, type Finding, type Findings } from './finding.ts'

const DATABASE = 'Database'
const RESTORE = `Set PORTICO_SECRET, or the file secret in the data folder, to that one. If it is lost: ${COMMAND} accept-secret`

/** Connects to the database as a start would, starting the embedded one if needed, and changes nothing in it. */
export async function* checkDatabase(config: Config, log: Log): Findings {
  try {
    const opened = await open(config, log)
    if (!opened) {
      yield ok(DATABASE, 'embedded; the first start creates it')
      return
    }
    try {
      yield await checkServer(opened)
      yield await checkMigrations(opened)
      yield* checkSecretOf(opened.database, config)
      if (config.DATABASE_URL !== null) yield await checkRoom(opened.database, config)
      yield await checkDatabaseClock(opened.database)
      yield* checkWebhooks(opened.database, opened.inUse)
    } finally {
      await opened.close()
    }
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    yield failure(DATABASE, error.message, error.hint)
  }
}

interface Opened {
  readonly database: Database
  readonly what: string
  /** Whether a portal is using it. Unknown for an external server. */
  readonly inUse: boolean
  close(): Promise<void>
}

async function open(config: Config, log: Log): Promise<Opened | undefined> {
  if (config.DATABASE_URL !== null) {
    const database = await openDatabase({ url: config.DATABASE_URL, log, poolSize: 2 })
    return { database, what: 'at DATABASE_URL', inUse: false, close: database.close }
  }
  const connection = await findRunning(config.PORTICO_DATA)
  if (connection) {
    const database = await openDatabase({ connection, log, poolSize: 2 })
    return { database, what: 'embedded, running', inUse: true, close: database.close }
  }
  if (!(await hasCluster(config.PORTICO_DATA))) return undefined
  const embedded = await startEmbedded({ dataDir: config.PORTICO_DATA, log })
  try {
    const database = await openDatabase({ connection: embedded.connection, log, poolSize: 2 })
    const close = async () => {
      await database.close()
      await embedded.stop()
    }
    return { database, what: 'embedded, started for this check', inUse: false, close }
  } catch (error) {
    await embedded.stop()
    throw error
  }
}

async function hasCluster(folder: string): Promise<boolean> {
  try {
    return (await findClusters(await realpath(folder))).length > 0
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

async function checkServer({ database, what }: Opened): Promise<Finding> {
  const { rows } = await database.pool.query<{ version: string; safe: boolean }>(
    `SELECT current_setting('server_version') AS version,
       current_setting('fsync') = 'on' AND current_setting('full_page_writes') = 'on' AS safe`,
  )
  const text = `PostgreSQL ${rows[0]?.version}, ${what}`
  if (rows[0]?.safe) return ok(DATABASE, text)
  return warning(
    DATABASE,
    `${text}, doesn’t wait for the disk: a power cut can destroy it`,
    'Set fsync = on and full_page_writes = on in postgresql.conf.',
  )
}

async function checkMigrations({ database, inUse }: Opened): Promise<Finding> {
  const pending = await pendingMigrations(database.pool, MIGRATIONS)
  const first = pending[0]
  if (!first) return ok('Migrations', 'all applied')
  const text = `${pending.length} to apply, from ${numbered(first.number)} ${first.name} on`
  const hint = inUse ? 'Restart the portal: an older version is running.' : 'The next start applies them.'
  return warning('Migrations', text, hint)
}

async function* checkSecretOf(database: Database, config: Config): Findings {
  const { rows } = await database.pool.query(
    `SELECT FROM information_schema.columns WHERE table_name = 'instance' AND column_name = 'secret_verifier'`,
  )
  if (rows.length === 0) return
  const isThere = config.PORTICO_SECRET ?? (await keptSecret(config).catch(() => undefined))
  if (isThere === undefined) {
    if (await hasSecret(database))
      yield failure('Secret', 'the database was written with a secret that isn’t here', RESTORE)
    return
  }
  if (!(await isForeignSecret(database, await openSecret(config)))) return
  yield failure('Secret', 'the database was written with another secret', RESTORE)
}

async function checkRoom(database: Database, config: Config): Promise<Finding> {
  const allowed = await allowedConnections(database)
  const needed = neededConnections(config)
  const text = `the server allows ${allowed}, this portal uses up to ${needed}`
  if (needed <= allowed) return ok('Connections', text)
  return failure('Connections', text, 'Raise max_connections of the server, or lower DATABASE_POOL_SIZE.')
}

async function checkDatabaseClock({ pool }: Database): Promise<Finding> {
  const sentAt = Date.now()
  const { rows } = await pool.query<{ now: number }>(
    `SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now`,
  )
  return driftOf('the database’s', rows[0]?.now ?? Number.NaN, { sentAt, answeredAt: Date.now(), precision: 0 })
}
