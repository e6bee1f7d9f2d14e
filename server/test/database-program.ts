/**
 * The database part of Portico as a process that tests can kill. It tells what happens in lines of JSON; with a second
 * argument it writes rows from that number on, telling each one that the database has acknowledged. SIGTERM ends it well.
 */
import { startEmbedded } from '../src/db/embedded/start-embedded.ts'
import { openDatabase } from '../src/db/open-database.ts'
import { StartError } from '../src/db/start-error.ts'
import { silentLog } from './silent-log.ts'

const [dataDir = '', first] = process.argv.slice(2)
const tell = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`)

try {
  const { connection, pid, cluster, stop } = await startEmbedded({
    dataDir,
    log: silentLog,
    progress: (text) => tell({ progress: text }),
    onExit: (reason) => {
      tell({ exit: reason })
      process.exit(3)
    },
  })
  process.once('SIGTERM', () => void stop())
  tell({ ready: { connection, pid, cluster } })
  if (first !== undefined) {
    const { pool } = await openDatabase({ connection, log: silentLog })
    await pool.query('CREATE TABLE IF NOT EXISTS written (id bigint PRIMARY KEY, body text NOT NULL)')
    let next = Number(first)
    const write = async (): Promise<never> => {
      for (;;) {
        const id = next++
        await pool.query('INSERT INTO written VALUES ($1, $2)', [id, 'x'.repeat(id % 500)])
        tell({ acknowledged: id })
      }
    }
    await Promise.all(Array.from({ length: 8 }, write))
  }
} catch (error) {
  if (!(error instanceof StartError)) throw error
  tell({ fault: { message: error.message, hint: error.hint } })
  process.exitCode = 2
}
