import { Client, type Pool, type QueryResult } from 'pg'
import { lockEvents, type Append } from '../events/emit-event.ts'
import { sendPrepared, type Statement } from './prepared.ts'

/** With more, the first would wait long for the last. */
const MOST_TOGETHER = 100

/** Milliseconds for which others are held up by one that waits for a row. It then waits alone. */
const PATIENCE = 20

interface Asked {
  readonly statement: Statement | Append
  readonly resolve: (result: QueryResult) => void
  readonly reject: (error: unknown) => void
}

/** Carries out a transaction of one statement. */
export type Commit = (statement: Statement | Append) => Promise<QueryResult>

/**
 * Carries out transactions of a single statement. Those that are asked for at one moment, or while others are under
 * way, share one way to the database and one commit. If any of them fails, none was carried out, and each is then
 * tried alone: nobody is refused for a neighbour's sake.
 */
export function sharedCommit(pool: Pool): Commit {
  let underWay = false
  let next: Asked[] = []

  const start = async (): Promise<void> => {
    const asked = next.slice(0, MOST_TOGETHER)
    next = next.slice(MOST_TOGETHER)
    await carryOut(pool, asked)
    underWay = next.length > 0
    if (underWay) void start()
  }

  return (statement) =>
    new Promise((resolve, reject) => {
      next.push({ statement, resolve, reject })
      if (!underWay) setImmediate(() => void start())
      underWay = true
    })
}

async function carryOut(pool: Pool, asked: readonly Asked[]): Promise<void> {
  try {
    const results = asked.length > 1 ? await carryOutTogether(pool, asked) : undefined
    if (results) {
      for (const [nth, { resolve }] of asked.entries()) resolve(results[nth]!)
      return
    }
  } catch (error) {
    for (const { reject } of asked) reject(error)
    return
  }
  const alone = asked.map(({ statement, resolve, reject }) => sendPrepared(pool, statement).then(resolve, reject))
  await new Promise<void>((goOn) => {
    const impatience = setTimeout(goOn, PATIENCE)
    void Promise.all(alone).then(() => {
      clearTimeout(impatience)
      goOn()
    })
  })
}

/** Undefined when nothing was carried out. Whether a connection that broke has still committed is not known: that is thrown. */
async function carryOutTogether(pool: Pool, asked: readonly Asked[]): Promise<QueryResult[] | undefined> {
  const client = await pool.connect()
  let broken = true
  try {
    const stream = client instanceof Client ? client.connection.stream : undefined
    stream?.cork()
    const begun = client.query('BEGIN')
    const locked = sendPrepared(client, lockFirst(asked))
    const sent = asked.map(({ statement }) =>
      sendPrepared(client, 'whenLocked' in statement ? statement.whenLocked : statement),
    )
    const commit = client.query('COMMIT')
    stream?.uncork()
    // The commit answers for all of them.
    const [{ command }] = await Promise.all([commit, Promise.allSettled([begun, locked, ...sent])])
    broken = false
    return command === 'COMMIT' ? await Promise.all(sent) : undefined
  } finally {
    client.release(broken)
  }
}

/**
 * The logs of all channels are locked before anything else: were each statement to lock its own, two transactions could
 * wait for each other. A busy log is waited for; what is then written holds it, and must not wait long for a row.
 */
function lockFirst(asked: readonly Asked[]): Statement {
  const channelIds = new Set(asked.flatMap(({ statement }) => ('channelId' in statement ? statement.channelId : [])))
  if (channelIds.size > 0) return lockEvents([...channelIds], PATIENCE)
  return { sql: "SELECT set_config('lock_timeout', $1, true)", parameters: [String(PATIENCE)] }
}
