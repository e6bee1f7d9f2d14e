import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { startEmbedded } from './embedded/start-embedded.ts'
import { migrate } from './migrate.ts'
import { connectionsFor, requireConnections } from './connection-limit.ts'
import { openDatabase, type Database } from './open-database.ts'
import type { Log } from '../telemetry/log.ts'

export const MIGRATIONS = join(import.meta.dirname, '../../migrations')

export interface StorageOptions {
  readonly config: Config
  readonly log: Log
  readonly progress: (text: string) => void
  /** Called when the embedded database exits unexpectedly: nothing can be served after that. */
  readonly onDatabaseLost: (reason: string) => void
  /** Identifies a process that is going to serve the database. */
  readonly serverId?: string
}

/** Opens and migrates the database, without starting anything else. */
export async function openStorage(options: StorageOptions): Promise<Database> {
  const { config, log, progress, onDatabaseLost, serverId } = options
  const common = { log, poolSize: config.DATABASE_POOL_SIZE, ...(serverId !== undefined && { serverId }) }
  if (config.DATABASE_URL !== null) {
    const database = await openDatabase({ ...common, url: config.DATABASE_URL })
    return migrated(database, log, () => requireConnections(database, config))
  }
  const embedded = await startEmbedded({
    dataDir: config.PORTICO_DATA,
    log,
    progress,
    onExit: onDatabaseLost,
    settings: { max_connections: String(connectionsFor(config)) },
  })
  try {
    const database = await openDatabase({ ...common, connection: embedded.connection })
    const whole = await migrated(database, log)
    const close = async (): Promise<void> => {
      try {
        await whole.close()
      } finally {
        await embedded.stop()
      }
    }
    return { ...whole, close }
  } catch (error) {
    await embedded.stop()
    throw error
  }
}

async function migrated(database: Database, log: Log, check = async (): Promise<void> => {}): Promise<Database> {
  try {
    await check()
    await migrate(database.pool, MIGRATIONS, log)
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}
