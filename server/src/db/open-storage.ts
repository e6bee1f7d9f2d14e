import { join } from 'node:path'
import type { EmbeddedDatabase } from './embedded/start-embedded.ts'
import { migrate } from './migrate.ts'
import { requireConnections } from './connection-limit.ts'
import { openDatabase, type Database } from './open-database.ts'
import { openEmbedded, type OpenEmbeddedOptions } from './open-embedded.ts'
import type { Log } from '../telemetry/log.ts'

export const MIGRATIONS = join(import.meta.dirname, '../../migrations')

export interface StorageOptions extends OpenEmbeddedOptions {
  /** The embedded database, if it is being started already. */
  readonly embedded?: Promise<EmbeddedDatabase>
  /** Identifies a process that is going to serve the database. */
  readonly serverId?: string
}

/** Opens and migrates the database, without starting anything else. */
export async function openStorage(options: StorageOptions): Promise<Database> {
  const { config, log, serverId } = options
  const common = { log, poolSize: config.DATABASE_POOL_SIZE, ...(serverId !== undefined && { serverId }) }
  if (config.DATABASE_URL !== null) {
    const database = await openDatabase({ ...common, url: config.DATABASE_URL })
    return migrated(database, log, () => requireConnections(database, config))
  }
  const embedded = await (options.embedded ?? openEmbedded(options))
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
