import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely'
import { Client, type Pool, type PoolClient, type QueryResult } from 'pg'
import type { DatabaseClock } from './database-clock.ts'
import { currentDeadline, type Deadline } from './deadline.ts'
import { commitFailure } from './outcome-unknown.ts'
import type { Tables } from './tables.ts'
import { isPastDeadline } from './violations.ts'

/** Beyond this many, statements are not prepared: texts built from data must not fill the memory of PostgreSQL. */
const MOST_NAMES = 1000

const names = new Map<string, string>()

/** Kysely on one connection, with prepared statements. They wait until the connection is open. */
export function preparedClient(connected: Promise<PoolClient>): Kysely<Tables> {
  let adapted: Promise<PostgresPoolClient> | undefined
  const connect = () => (adapted ??= connected.then(adapter))
  const pool = { connect, end: async () => undefined, options: {} }
  return new Kysely({ dialect: new PostgresDialect({ pool }) })
}

/**
 * The same on any connection of the pool, for statements outside of `run`. A write is a transaction that does not
 * commit after the deadline of the request.
 */
export function preparedPool(pool: Pool, clock: DatabaseClock): Kysely<Tables> {
  const adapters = new WeakMap<PoolClient, PostgresPoolClient>()
  const connect = async (): Promise<PostgresPoolClient> => {
    const client = await pool.connect()
    let adapted = adapters.get(client)
    if (!adapted) {
      adapted = guardedAdapter(client, clock)
      adapters.set(client, adapted)
    }
    return adapted
  }
  return new Kysely({ dialect: new PostgresDialect({ pool: { connect, end: () => pool.end(), options: {} } }) })
}

function guardedAdapter(client: PoolClient, clock: DatabaseClock): PostgresPoolClient {
  let inTransaction = false
  const query = (text: string, values: readonly unknown[] = []): Promise<QueryResult> => {
    const send = () => sendPrepared(client, { sql: text, parameters: values })
    if (text === 'begin' || text === 'rollback') {
      inTransaction = text === 'begin'
      return send()
    }
    if (text === 'commit') {
      inTransaction = false
      const deadline = currentDeadline()
      return commitResult([sendPrepared(client, clock.guard(deadline)), send()], deadline)
    }
    if (inTransaction || READS.test(text)) return send()
    return write({ sql: text, parameters: values })
  }
  const write = async (statement: Statement): Promise<QueryResult> => {
    const deadline = currentDeadline()
    try {
      return await commitGuarded(client, statement, clock, deadline)
    } catch (error) {
      if (!isPastDeadline(error) || !clock.mayCommit(deadline)) throw error
      // There is time left, but not by the database's clock: one of the clocks was set.
      await clock.measure()
      return commitGuarded(client, statement, clock, deadline)
    }
  }
  const release = (destroy?: boolean): void => client.release(destroy)
  return { query, release } as unknown as PostgresPoolClient
}

const READS = /^\s*select\b/i

/** Runs one statement in a transaction that ends with the guard. Everything is queued before this returns. */
export async function commitGuarded(
  client: PoolClient,
  statement: Statement,
  clock: DatabaseClock,
  deadline: Deadline,
): Promise<QueryResult> {
  shareWrite(client)
  const begin = client.query('BEGIN')
  const sent = sendPrepared(client, statement)
  await commitResult([begin, sent, sendPrepared(client, clock.guard(deadline)), client.query('COMMIT')], deadline)
  return sent
}

/** The result of the commit, which is the last, once all have arrived. */
async function commitResult(sent: readonly Promise<QueryResult>[], deadline: Deadline): Promise<QueryResult> {
  const failure = commitFailure(await Promise.allSettled(sent), deadline)
  if (failure !== undefined) throw failure
  return sent.at(-1)!
}

/** A statement and its parameters, compiled by Kysely or written by hand. */
export interface Statement {
  readonly sql: string
  readonly parameters: readonly unknown[]
}

/** Queues the statement before it returns, so that later statements arrive after it. */
export function sendPrepared(client: Pool | PoolClient, { sql, parameters }: Statement): Promise<QueryResult> {
  shareWrite(client)
  return client.query({ name: nameOf(sql), text: sql, values: [...parameters] })
}

/**
 * What is sent on a connection until the event loop goes on becomes one write: the call to the system, which wakes the server
 * each time, costs more than most statements.
 */
export function shareWrite(client: Pool | PoolClient): void {
  if (!(client instanceof Client)) return
  const { stream } = client.connection
  stream.cork()
  process.nextTick(() => stream.uncork())
}

function adapter(client: PoolClient): PostgresPoolClient {
  const query = (text: string, parameters: readonly unknown[] = []) => sendPrepared(client, { sql: text, parameters })
  return { query, release: () => undefined } as unknown as PostgresPoolClient
}

function nameOf(text: string): string {
  let name = names.get(text)
  if (name === undefined) {
    if (names.size >= MOST_NAMES) return ''
    name = `s${names.size + 1}`
    names.set(text, name)
  }
  return name
}
