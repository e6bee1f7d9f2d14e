import { onTestFinished } from 'vitest'
import type { Connection } from '../src/db/embedded/connection.ts'
import { type EmbeddedOptions, startEmbedded } from '../src/db/embedded/start-embedded.ts'
import { openDatabase } from '../src/db/open-database.ts'
import { silentLog } from './silent-log.ts'

/** Starts an embedded database, which is stopped after the test. */
export async function embeddedDatabase(options: Pick<EmbeddedOptions, 'dataDir'> & Partial<EmbeddedOptions>) {
  const embedded = await startEmbedded({ log: silentLog, ...options })
  onTestFinished(() => embedded.stop())
  return embedded
}

/** Runs one statement on an embedded database. */
export async function queryEmbedded(connection: Connection, sql: string): Promise<unknown[]> {
  const { pool, close } = await openDatabase({ connection, log: silentLog, poolSize: 1 })
  try {
    return (await pool.query(sql)).rows
  } finally {
    await close()
  }
}
