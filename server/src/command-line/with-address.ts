import type { Config } from '../config/config.ts'
import { findRunning } from '../db/embedded/find-running.ts'
import { startEmbedded } from '../db/embedded/start-embedded.ts'
import type { Address } from '../db/open-database.ts'
import { openLog, type Log } from '../telemetry/log.ts'

/** Like `withStorage`, for commands that need the database unchanged: nothing is migrated. */
export async function withAddress<T>(config: Config, work: (address: Address, log: Log) => Promise<T>): Promise<T> {
  const log = openLog({ LOG_FORMAT: config.LOG_FORMAT, LOG_LEVEL: 'warn' })
  if (config.DATABASE_URL !== null) return work({ url: config.DATABASE_URL }, log)
  const running = await findRunning(config.PORTICO_DATA)
  if (running) return work({ connection: running }, log)

  const { connection, stop } = await startEmbedded({
    dataDir: config.PORTICO_DATA,
    log,
    progress: (text) => process.stderr.write(`${text}\n`),
    onExit: (reason) => log.fatal({ reason }, 'the embedded database exited unexpectedly'),
  })
  try {
    return await work({ connection }, log)
  } finally {
    await stop()
  }
}
