import { Client, DatabaseError, type Pool, type QueryResult } from 'pg'
import { batch, type Pending } from './batch.ts'
import { lockEvents, type Append } from '../events/emit-event.ts'
import type { DatabaseClock } from './database-clock.ts'
import { DeadlinePassed, type Deadline } from './deadline.ts'
import { commitGuarded, sendPrepared, type Statement } from './prepared.ts'
import { takeClient } from './take-client.ts'

/** With more, the first would wait long for the last. */
const LIMIT = 100

/** In milliseconds: how long the others wait for one that waits for a row. It then continues on its own connection. */
const PATIENCE = 20

interface Transaction {
  readonly statement: Statement | Append
  readonly deadline: Deadline
}

/** Runs a transaction of one statement before a deadline. */
export type Commit = (statement: Statement | Append, deadline: Deadline) => Promise<QueryResult>

/**
 * Runs transactions of a single statement. Those of one batch share one round trip and one commit. If any of them fails,
 * none is committed, and each then runs alone: nobody is refused because of another's statement.
 */
export function sharedCommit(pool: Pool, clock: DatabaseClock): Commit {
  const commit = batch<Transaction, QueryResult>(LIMIT, async (pending) => {
    // One that has waited too long would make the others of its batch fail.
    const inTime: Pending<Transaction, QueryResult>[] = []
    for (const one of pending) {
      if (clock.mayCommit(one.item.deadline)) inTime.push(one)
      else one.reject(new DeadlinePassed())
    }
    await commitAll(pool, clock, inTime)
  })
  return (statement, deadline) => commit({ statement, deadline })
}

async function commitAll(
  pool: Pool,
  clock: DatabaseClock,
  pending: readonly Pending<Transaction, QueryResult>[],
): Promise<void> {
  const transactions = pending.map(({ item }) => item)
  const results = pending.length > 1 ? await commitTogether(pool, clock, transactions) : undefined
  if (results) {
    for (const [index, { resolve }] of pending.entries()) resolve(results[index]!)
    return
  }
  const alone = pending.map(({ item, resolve, reject }) => commitAlone(pool, clock, item).then(resolve, reject))
  const patience = Promise.withResolvers<void>()
  const timer = setTimeout(patience.resolve, PATIENCE)
  await Promise.race([Promise.all(alone), patience.promise])
  clearTimeout(timer)
}

/** An append checks its deadline itself. */
async function commitAlone(
  pool: Pool,
  clock: DatabaseClock,
  { statement, deadline }: Transaction,
): Promise<QueryResult> {
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

/** Undefined if nothing was committed. Throws if the connection broke: whether it has committed is then unknown. */
async function commitTogether(
  pool: Pool,
  clock: DatabaseClock,
  transactions: readonly Transaction[],
): Promise<QueryResult[] | undefined> {
  const { deadline } = transactions.reduce((first, one) => (one.deadline.left < first.deadline.left ? one : first))
  const { client, release } = await takeClient(pool, deadline)
  let broken = true
  try {
    const stream = client instanceof Client ? client.connection.stream : undefined
    stream?.cork()
    const begun = client.query('BEGIN')
    const locked = sendPrepared(client, lockFirst(transactions))
    const sent = transactions.map(({ statement }) =>
      sendPrepared(client, 'whenLocked' in statement ? statement.whenLocked : statement),
    )
    const isGuarded = transactions.every(({ statement }) => 'whenLocked' in statement)
    const guarded = isGuarded ? undefined : sendPrepared(client, clock.guard(deadline))
    const commit = client.query('COMMIT')
    stream?.uncork()
    // The answer to COMMIT says whether all of them were committed.
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
function lockFirst(transactions: readonly Transaction[]): Statement {
  const channelIds = new Set(
    transactions.flatMap(({ statement }) => ('channelId' in statement ? statement.channelId : [])),
  )
  if (channelIds.size > 0) return lockEvents([...channelIds], PATIENCE)
  return { sql: "SELECT set_config('lock_timeout', $1, true)", parameters: [String(PATIENCE)] }
}
