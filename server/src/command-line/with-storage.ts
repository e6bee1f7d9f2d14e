import type { Config } from '../config/config.ts'
import { findRunning } from '../db/embedded/find-running.ts'
import { openDatabase, type Database } from '../db/open-database.ts'
import { openLog } from '../telemetry/log.ts'
import { openStorage } from '../db/open-storage.ts'

/** Runs a command with the database of the running portal, or starts the database if no portal is running. */
export async function withStorage(config: Config, work: (database: Database) => Promise<number>): Promise<number> {
  const log = openLog({ LOG_FORMAT: config.LOG_FORMAT, LOG_LEVEL: 'warn' })
  const connection = config.DATABASE_URL === null ? await findRunning(config.PORTICO_DATA) : undefined
  const database = connection
    ? await openDatabase({ connection, log, poolSize: 2 })
    : await openStorage({
        config,
        log,
        progress: (text) => process.stderr.write(`${text}\n`),
        onDatabaseLost: (reason) => log.fatal({ reason }, 'the embedded database exited unexpectedly'),
      })
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}
