import { Client, DatabaseError, type Pool, type QueryResult } from 'pg'
import { lockEvents, type Append } from '../events/emit-event.ts'
import type { DatabaseClock } from './database-clock.ts'
import { DeadlinePassed, type Deadline } from './deadline.ts'
import { commitGuarded, sendPrepared, type Statement } from './prepared.ts'
import { takeClient } from './take-client.ts'

/** With more, the first would wait long for the last. */
const MOST_TOGETHER = 100

/** Milliseconds for which others are held up by one that waits for a row. It then waits alone. */
const PATIENCE = 20

interface Asked {
  readonly statement: Statement | Append
  readonly deadline: Deadline
  readonly resolve: (result: QueryResult) => void
  readonly reject: (error: unknown) => void
}

/** Carries out a transaction of one statement before a deadline. */
export type Commit = (statement: Statement | Append, deadline: Deadline) => Promise<QueryResult>

/**
 * Carries out transactions of a single statement. Those that are asked for at one moment, or while others are under
 * way, share one way to the database and one commit. If any of them fails, none was carried out, and each is then
 * tried alone: nobody is refused for a neighbour's sake.
 */
export function sharedCommit(pool: Pool, clock: DatabaseClock): Commit {
  let underWay = false
  let next: Asked[] = []

  const start = async (): Promise<void> => {
    const asked = next.slice(0, MOST_TOGETHER)
    next = next.slice(MOST_TOGETHER)
    // One that has waited too long for the others before it would take those beside it along.
    const inTime: Asked[] = []
    for (const one of asked) {
      if (clock.mayCommit(one.deadline)) inTime.push(one)
      else one.reject(new DeadlinePassed())
    }
    await carryOut(pool, clock, inTime)
    underWay = next.length > 0
    if (underWay) void start()
  }

  return (statement, deadline) =>
    new Promise((resolve, reject) => {
      next.push({ statement, deadline, resolve, reject })
      if (!underWay) setImmediate(() => void start())
      underWay = true
    })
}

async function carryOut(pool: Pool, clock: DatabaseClock, asked: readonly Asked[]): Promise<void> {
  try {
    const results = asked.length > 1 ? await carryOutTogether(pool, clock, asked) : undefined
    if (results) {
      for (const [nth, { resolve }] of asked.entries()) resolve(results[nth]!)
      return
    }
  } catch (error) {
    for (const { reject } of asked) reject(error)
    return
  }
  const alone = asked.map((one) => carryOutAlone(pool, clock, one).then(one.resolve, one.reject))
  await new Promise<void>((goOn) => {
    const impatience = setTimeout(goOn, PATIENCE)
    void Promise.all(alone).then(() => {
      clearTimeout(impatience)
      goOn()
    })
  })
}

/** An append refuses by itself to be late. */
async function carryOutAlone(pool: Pool, clock: DatabaseClock, { statement, deadline }: Asked): Promise<QueryResult> {
  const { client, release } = await takeClient(pool, deadline)
  try {
    const result =
      'whenLocked' in statement
        ? await sendPrepared(client, statement)
        : await commitGuarded(client, statement, clock.guard(deadline))
    release()
    return result
  } catch (error) {
    // What the database refuses is undone, and the connection is as good as before.
    release(!(error instanceof DatabaseError))
    throw error
  }
}

/** Undefined when nothing was carried out. Whether a connection that broke has still committed is not known: that is thrown. */
async function carryOutTogether(
  pool: Pool,
  clock: DatabaseClock,
  asked: readonly Asked[],
): Promise<QueryResult[] | undefined> {
  const { deadline } = asked.reduce((first, one) => (one.deadline.left < first.deadline.left ? one : first))
  const { client, release } = await takeClient(pool, deadline)
  let broken = true
  try {
    const stream = client instanceof Client ? client.connection.stream : undefined
    stream?.cork()
    const begun = client.query('BEGIN')
    const locked = sendPrepared(client, lockFirst(asked))
    const sent = asked.map(({ statement }) =>
      sendPrepared(client, 'whenLocked' in statement ? statement.whenLocked : statement),
    )
    const isGuarded = asked.every(({ statement }) => 'whenLocked' in statement)
    const guarded = isGuarded ? undefined : sendPrepared(client, clock.guard(deadline))
    const commit = client.query('COMMIT')
    stream?.uncork()
    // The commit answers for all of them.
    const [{ command }] = await Promise.all([commit, Promise.allSettled([begun, locked, ...sent, guarded])])
    broken = false
    return command === 'COMMIT' ? await Promise.all(sent) : undefined
  } finally {
    release(broken)
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
