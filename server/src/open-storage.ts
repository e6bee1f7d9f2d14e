import { join } from 'node:path'
import type { Config } from './config.ts'
import { startEmbedded } from './db/embedded/start-embedded.ts'
import { migrate } from './db/migrate.ts'
import { openDatabase, type Database } from './db/open-database.ts'
import type { Log } from './log.ts'

export const MIGRATIONS = join(import.meta.dirname, '../migrations')

export interface StorageOptions {
  readonly config: Config
  readonly log: Log
  readonly progress: (text: string) => void
  /** The embedded database ended by itself: nothing can be served any more. */
  readonly onDatabaseLost: (reason: string) => void
}

/** The database alone, migrated: what every command starts from. */
export async function openStorage({ config, log, progress, onDatabaseLost }: StorageOptions): Promise<Database> {
  if (config.DATABASE_URL !== null) {
    const database = await openDatabase({ url: config.DATABASE_URL, log, poolSize: config.DATABASE_POOL_SIZE })
    return migrated(database, log)
  }
  const embedded = await startEmbedded({ dataDir: config.PORTICO_DATA, log, progress, onExit: onDatabaseLost })
  try {
    const database = await openDatabase({
      connection: embedded.connection,
      log,
      poolSize: config.DATABASE_POOL_SIZE,
    })
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

async function migrated(database: Database, log: Log): Promise<Database> {
  try {
    await migrate(database.pool, MIGRATIONS, log)
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}
