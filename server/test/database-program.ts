/**
 * The embedded database in a process that tests can kill. It reports what happens as lines of JSON. With a second argument
 * it writes rows from that number on, and reports each row that the database has acknowledged. SIGTERM stops it cleanly.
 */
import { startEmbedded } from '../src/db/embedded/start-embedded.ts'
import { openDatabase } from '../src/db/open-database.ts'
import { StartError } from '../src/db/start-error.ts'
import { silentLog } from './silent-log.ts'

const [dataDir = '', first] = process.argv.slice(2)
const report = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`)

try {
  const { connection, pid, cluster, stop } = await startEmbedded({
    dataDir,
    log: silentLog,
    progress: (text) => report({ progress: text }),
    onExit: (reason) => {
      report({ exit: reason })
      process.exit(3)
    },
  })
  process.once('SIGTERM', () => void stop())
  report({ ready: { connection, pid, cluster } })
  if (first !== undefined) {
    const { pool } = await openDatabase({ connection, log: silentLog })
    await pool.query('CREATE TABLE IF NOT EXISTS written (id bigint PRIMARY KEY, body text NOT NULL)')
    let next = Number(first)
    const write = async (): Promise<never> => {
      for (;;) {
        const id = next++
        await pool.query('INSERT INTO written VALUES ($1, $2)', [id, 'x'.repeat(id % 500)])
        report({ acknowledged: id })
      }
    }
    await Promise.all(Array.from({ length: 8 }, write))
  }
} catch (error) {
  if (!(error instanceof StartError)) throw error
  report({ error: { message: error.message, hint: error.hint } })
  process.exitCode = 2
}
