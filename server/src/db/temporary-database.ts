import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { startEmbedded } from './embedded/start-embedded.ts'
import type { Log } from './log.ts'
import { type Database, openDatabase } from './open-database.ts'

/** Creates an empty database for the duration of the work, and drops it afterwards. */
export async function withTemporaryDatabase<T>(use: (database: Database, log: Log) => Promise<T>): Promise<T> {
  const log = pino({ level: 'warn' })
  const dataDir = await mkdtemp(join(tmpdir(), 'portico-temporary-'))
  try {
    const embedded = await startEmbedded({ dataDir, log, settings: { fsync: 'off' } })
    try {
      const database = await openDatabase({ connection: embedded.connection, log })
      try {
        return await use(database, log)
      } finally {
        await database.close()
      }
    } finally {
      await embedded.stop()
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}
