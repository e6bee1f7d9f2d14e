import type { Config } from '../../config/config.ts'
import { openDatabase, type Database } from '../../db/open-database.ts'
import { catchUp, readPosition } from '../../db/replica.ts'
import type { Log } from '../../telemetry/log.ts'
import { ok, warning, type Finding, type Findings } from './finding.ts'

const REPLICA = 'Replica'
const HINT =
  'DATABASE_REPLICA_URL must lead to a streaming replica of the server at DATABASE_URL. Until it does, the primary is searched.'

/** Whether messages can be searched on the replica. */
export async function* checkReplica({ DATABASE_URL, DATABASE_REPLICA_URL }: Config, log: Log): Findings {
  if (DATABASE_URL === null || DATABASE_REPLICA_URL === null) return
  // What is wrong with the primary has been reported.
  const primary = await open(DATABASE_URL, log).catch(() => undefined)
  if (!primary) return
  try {
    const replica = await open(DATABASE_REPLICA_URL, log)
    try {
      yield await checkWhatItFollows(primary, replica)
    } finally {
      await replica.close()
    }
  } catch (error) {
    yield warning(REPLICA, error instanceof Error ? error.message : String(error), HINT)
  } finally {
    await primary.close()
  }
}

function open(url: string, log: Log): Promise<Database> {
  return openDatabase({ url, log, poolSize: 1, connectTimeout: 5000, statementTimeout: 5000 })
}

async function checkWhatItFollows({ pool: primary }: Database, { pool: replica }: Database): Promise<Finding> {
  const { rows } = await replica.query<{ version: string }>(`SELECT current_setting('server_version') AS version`)
  const what = `PostgreSQL ${rows[0]?.version}, at DATABASE_REPLICA_URL`
  // Before the first start there is no position, or no table for it.
  const position = await readPosition(primary).catch(() => undefined)
  if (!position) return ok(REPLICA, `${what}; whether it follows the database is checked when the portal runs`)
  try {
    await catchUp(replica, position)
    return ok(REPLICA, `${what}, has caught up`)
  } catch (error) {
    return warning(REPLICA, `${what}: ${error instanceof Error ? error.message : String(error)}`, HINT)
  }
}
