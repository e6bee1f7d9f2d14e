import type { Kysely } from 'kysely'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, type ClientConfig, Pool, type PoolClient } from 'pg'
import { columnParsers } from './column-parsers.ts'
import { DatabaseClock } from './database-clock.ts'
import { Disk } from './disk.ts'
import type { Connection } from './embedded/connection.ts'
import type { Log } from './log.ts'
import { AccessCache } from './access-cache.ts'
import { preparedPool } from './prepared.ts'
import { StartError } from './start-error.ts'
import type { Tables } from './tables.ts'

export interface Database {
  readonly pool: Pool
  readonly kysely: Kysely<Tables>
  readonly accessCache: AccessCache
  /** One connection outside the pool, for code that needs its own session. */
  readonly connect: () => Promise<Client>
  readonly clock: DatabaseClock
  readonly disk: Disk
  readonly close: () => Promise<void>
}

/** How to connect: a `postgres://` URL, or the result of `startEmbedded` or `findRunning`. */
export type Address = { url: string } | { connection: Connection }

export type OpenOptions = Address & {
  log: Log
  poolSize?: number
  /** Identifies the serving process to the trigger `announce_access_change`. Command-line programs have none. */
  serverId?: string
  /** In milliseconds: after this the server cancels a statement. If it doesn't, the client gives up half a second later. */
  statementTimeout?: number
  /** How long to wait for a free connection before the request fails. */
  connectTimeout?: number
}

const oldestVersion = 15

const SESSION = '-c timezone=UTC'
/**
 * Planning a statement for each call's values takes longer than most statements run. So every statement must have a plan
 * that suits all values: pages are read from an index in their order, and related rows are looked up one by one.
 */
const PLANNED_ONCE = '-c plan_cache_mode=force_generic_plan'
/**
 * With the defaults, reading and sorting all messages of a room can look cheaper than following the index for one page,
 * because a plan for all rooms estimates the average one. `docs/decisions/0030-plans-that-suit-every-room.md`
 */
const FOLLOW_INDEXES = '-c random_page_cost=1 -c seq_page_cost=4'

/** The database announces changes to cached tables in notices. */
const WITH_NOTICES = '-c client_min_messages=notice'

/** Opens the pool that the whole program shares, and checks that the server is usable. */
export async function openDatabase(options: OpenOptions): Promise<Database> {
  const { pool, close } = openPool(options)
  const accessCache = new AccessCache(pool)
  const clock = new DatabaseClock(pool)
  try {
    await checkServer(pool)
  } catch (error) {
    await close()
    throw error
  }
  const connect = (): Promise<Client> => openClient(options)
  return {
    pool,
    kysely: preparedPool(pool, clock),
    accessCache,
    connect,
    clock,
    disk: new Disk(),
    close,
  }
}

/** A pool that connects when a connection is needed. */
export function openPool(options: OpenOptions): { readonly pool: Pool; readonly close: () => Promise<void> } {
  const { log, serverId = '', poolSize = 20, statementTimeout = 9500, connectTimeout = 10_000 } = options
  const pool = new Pool({
    ...clientSettings(
      options,
      `${SESSION} ${PLANNED_ONCE} ${FOLLOW_INDEXES} ${WITH_NOTICES} -c portico.server=${serverId}`,
    ),
    max: poolSize,
    pipeline: true,
    types: columnParsers,
    statement_timeout: statementTimeout,
    query_timeout: statementTimeout + 500,
    idle_in_transaction_session_timeout: 30_000,
    connectionTimeoutMillis: connectTimeout,
    idleTimeoutMillis: 60_000,
  })
  // A connection that breaks while idle is replaced at the next use. Without a listener, the event would end the process.
  // Only the message is logged: the error object contains the whole connection.
  pool.on('error', ({ message }) => log.warn({ reason: message }, 'an idle database connection broke'))
  // A connection that breaks in use fails its pending statements. This event, too, would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined))
  return { pool, close: closing(pool) }
}

/** `pool.end()` doesn't wait until connections are closed; if the server stopped meanwhile, they would fail with an error. */
function closing(pool: Pool): () => Promise<void> {
  const ends = new Map<PoolClient, Promise<void>>()
  pool.on('connect', (client) => ends.set(client, new Promise((resolve) => void client.once('end', resolve))))
  pool.on('remove', (client) => ends.delete(client))
  return async () => {
    const closed = Promise.all(ends.values())
    await pool.end()
    // If the network is dead, connections never close.
    await Promise.race([closed, sleep(5000, undefined, { ref: false })])
  }
}

/** One connection outside the pool, for COPY and other work that a pipelined connection cannot carry. */
export async function openClient(address: Address): Promise<Client> {
  const client = new Client(clientSettings(address))
  // The pending query fails as well. Without a listener, the event would end the process.
  client.on('error', () => {})
  await client.connect().catch((error: unknown) => {
    throw connectError(error)
  })
  return client
}

function clientSettings(address: Address, options = SESSION): ClientConfig {
  const common = { application_name: 'portico', keepAlive: true, connectionTimeoutMillis: 10_000 }
  if (!('url' in address)) return { ...common, ...address.connection, options, ssl: false }
  const { url, options: operatorOptions } = withoutSessionSettings(address.url)
  // The server applies options in order, so these override the operator's.
  return { ...common, connectionString: url, options: `${operatorOptions} ${options}`.trim() }
}

/** In `pg`, parameters of the URL override everything else, so those that Portico sets itself are removed. */
function withoutSessionSettings(url: string): { url: string; options: string } {
  const [address = '', ...rest] = url.split('?')
  const parameters = new URLSearchParams(rest.join('?'))
  const options = parameters.get('options') ?? ''
  for (const name of OUR_SETTINGS) parameters.delete(name)
  return { url: parameters.size > 0 ? `${address}?${parameters.toString()}` : address, options }
}

const OUR_SETTINGS = ['options', 'application_name', 'statement_timeout', 'idle_in_transaction_session_timeout']

async function checkServer(pool: Pool): Promise<void> {
  const { rows } = await pool
    .query<{ version: string; encoding: string; options: boolean }>(
      `SELECT current_setting('server_version') AS version, current_setting('server_encoding') AS encoding,
         current_setting('plan_cache_mode') = 'force_generic_plan' AND current_setting('client_min_messages') = 'notice'
           AND current_setting('timezone') = 'UTC' AS options`,
    )
    .catch((error: unknown) => {
      throw connectError(error)
    })
  const { version = '', encoding = '', options = false } = rows[0] ?? {}
  if (Number.parseInt(version, 10) < oldestVersion) {
    throw new StartError(
      `The database server is PostgreSQL ${version}; Portico needs ${oldestVersion} or newer.`,
      'Upgrade that server, or unset DATABASE_URL to use the embedded one.',
    )
  }
  if (!options) {
    throw new StartError(
      'The database server doesn’t apply the session settings that Portico requests when it connects.',
      'Connect to PostgreSQL itself: a connection pooler in between must not ignore startup options.',
    )
  }
  if (encoding !== 'UTF8') {
    throw new StartError(
      `The database is encoded in ${encoding}; Portico needs UTF8.`,
      `Create it again: CREATE DATABASE portico ENCODING 'UTF8' TEMPLATE template0.`,
    )
  }
}

function connectError(error: unknown): StartError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const reason = error instanceof Error && error.message !== '' ? error.message : code
  return new StartError(`The database can’t be reached: ${reason}`, hints[code] ?? hints['']!, { cause: error })
}

const hints: Record<string, string> = {
  ECONNREFUSED: 'Start that PostgreSQL server, or correct host and port in DATABASE_URL.',
  ENOTFOUND: 'Correct the host name in DATABASE_URL.',
  '28P01':
    'Correct user and password in DATABASE_URL. For the embedded database, remove the file database-password from the data folder: the next start makes another.',
  '28000': 'Correct user and password in DATABASE_URL, or allow this connection in pg_hba.conf.',
  '3D000': 'Create that database, or correct its name in DATABASE_URL.',
  '53300': 'The server has no free connections: raise its max_connections, or lower DATABASE_POOL_SIZE.',
  '': 'Check DATABASE_URL, and that the server behind it runs and accepts connections from here.',
}
