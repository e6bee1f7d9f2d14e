import { DatabaseError, type Pool, type PoolClient, type QueryResult } from 'pg'
import { batch, type Pending } from '../db/batch.ts'
import { appendAll, appendOne, lockEvents, type Append, type Appended } from './emit-event.ts'
import type { DatabaseClock } from '../db/database-clock.ts'
import type { Database } from '../db/open-database.ts'
import { DeadlinePassed, type Deadline } from '../db/deadline.ts'
import { commitGuarded, sendPrepared, shareWrite, type Statement } from '../db/prepared.ts'
import { commitFailure } from '../db/outcome-unknown.ts'
import { takeClient } from '../db/take-client.ts'

/** With more, the first would wait long for the last. */
const LIMIT = 100

/** In milliseconds: how long the others wait for one that waits for a row. It then continues on its own connection. */
const PATIENCE = 20

interface Transaction {
  readonly statement: Statement | Append
  readonly deadline: Deadline
}

type Rows = readonly unknown[]

/** Runs a transaction of one statement before a deadline; it may share its commit with others. */
export type Commit = (statement: Statement | Append, deadline: Deadline) => Promise<Rows>

/**
 * Runs transactions of a single statement. Those of one batch share one round trip and one commit, and events of the same
 * kind of change share a statement. If any of them fails, none is committed, and each then runs alone: nobody is refused
 * because of another's statement.
 */
export function groupCommit({ pool, clock }: Pick<Database, 'pool' | 'clock'>): Commit {
  const commit = batch<Transaction, Rows>(LIMIT, async (pending) => {
    // One that has waited too long would make the others of its batch fail.
    const inTime: Pending<Transaction, Rows>[] = []
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
  pending: readonly Pending<Transaction, Rows>[],
): Promise<void> {
  const transactions = pending.map(({ item }) => item)
  const results = pending.length > 1 ? await commitTogether(pool, clock, transactions) : undefined
  if (results) {
    for (const { item, resolve } of pending) resolve(results.get(item) ?? [])
    return
  }
  const alone = pending.map(({ item, resolve, reject }) => commitAlone(pool, clock, item).then(resolve, reject))
  const patience = Promise.withResolvers<void>()
  const timer = setTimeout(patience.resolve, PATIENCE)
  await Promise.race([Promise.all(alone), patience.promise])
  clearTimeout(timer)
}

/** An append checks its deadline itself. */
async function commitAlone(pool: Pool, clock: DatabaseClock, { statement, deadline }: Transaction): Promise<Rows> {
  const { client, release } = await takeClient(pool, deadline)
  try {
    const { rows } =
      'texts' in statement
        ? await commitAppend(client, statement, deadline)
        : await commitGuarded(client, statement, clock, deadline)
    release()
    return rows
  } catch (error) {
    // What the database refuses is undone, and the connection is as good as before.
    release(!(error instanceof DatabaseError))
    throw error
  }
}

/** One statement is a transaction in itself. */
async function commitAppend(client: PoolClient, append: Append, deadline: Deadline): Promise<QueryResult> {
  const [outcome] = await Promise.allSettled([sendPrepared(client, appendOne(append))])
  if (outcome.status === 'fulfilled') return outcome.value
  throw commitFailure([outcome], deadline)
}

/** Undefined if nothing was committed. Throws if the connection broke: whether it has committed is then unknown. */
async function commitTogether(
  pool: Pool,
  clock: DatabaseClock,
  transactions: readonly Transaction[],
): Promise<ReadonlyMap<Transaction, Rows> | undefined> {
  const { deadline } = transactions.reduce((first, one) => (one.deadline.left < first.deadline.left ? one : first))
  const { client, release } = await takeClient(pool, deadline)
  let broken = true
  try {
    shareWrite(client)
    const begun = client.query('BEGIN')
    const locked = sendPrepared(client, lockFirst(transactions))
    const sent = inStatements(transactions).map(async ({ statement, of }) => {
      const { rows } = await sendPrepared(client, statement)
      if (of.length === 1) return [[of[0]!, rows] as const]
      // One row for each event. Positions were assigned in the order of the events.
      const ordered = rows.toSorted((a: Appended, b: Appended) => a.seq - b.seq)
      return of.map((transaction, index) => [transaction, [ordered[index]]] as const)
    })
    const isGuarded = transactions.every(({ statement }) => 'texts' in statement)
    const guarded = isGuarded ? undefined : sendPrepared(client, clock.guard(deadline))
    const commit = client.query('COMMIT')
    // The answer to COMMIT says whether all of them were committed.
    const outcomes = await Promise.allSettled([begun, locked, ...sent, guarded, commit])
    // What the database refuses ends in a rollback, which is also an answer.
    if (outcomes.at(-1)?.status === 'rejected') throw commitFailure(outcomes, deadline)
    const { command } = await commit
    broken = false
    return command === 'COMMIT' ? new Map<Transaction, Rows>((await Promise.all(sent)).flat()) : undefined
  } finally {
    release(broken)
  }
}

interface SharedStatement {
  readonly statement: Statement
  /** The transactions that it carries out: several only if each appends an event. */
  readonly of: readonly Transaction[]
}

/** One statement for all events of the same kind of change, those of a channel next to each other. */
function inStatements(transactions: readonly Transaction[]): SharedStatement[] {
  const appends: { readonly append: Append; readonly transaction: Transaction }[] = []
  const statements: SharedStatement[] = []
  for (const transaction of transactions) {
    const { statement } = transaction
    if ('texts' in statement) appends.push({ append: statement, transaction })
    else statements.push({ statement, of: [transaction] })
  }
  for (const alike of Map.groupBy(appends, ({ append }) => append.texts).values()) {
    const ordered = [...Map.groupBy(alike, ({ append }) => append.channelId).values()].flat()
    statements.push({
      statement: appendAll(ordered.map(({ append }) => append)),
      of: ordered.map(({ transaction }) => transaction),
    })
  }
  return statements
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
