import type { Config } from '../config/config.ts'
import type { Database } from './open-database.ts'
import { StartError } from './start-error.ts'

/** Outside of the pool: the connection for notifications, and those of commands that run at the same time. */
const BESIDE_THE_POOL = 8
/** What PostgreSQL reserves for superusers by default. */
const FOR_SUPERUSERS = 3
const FEWEST = 60

type PoolSize = Pick<Config, 'DATABASE_POOL_SIZE'>

/** How many connections a server needs to allow. */
export function connectionsFor({ DATABASE_POOL_SIZE }: PoolSize): number {
  return Math.max(FEWEST, DATABASE_POOL_SIZE + BESIDE_THE_POOL + FOR_SUPERUSERS)
}

/** How many connections the user of this database may open. */
export async function allowedConnections({ pool }: Pick<Database, 'pool'>): Promise<number> {
  const { rows } = await pool.query<{ allowed: number }>(
    `SELECT least(
       current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
         - coalesce(current_setting('reserved_connections', true)::int, 0),
       (SELECT nullif(rolconnlimit, -1) FROM pg_roles WHERE rolname = current_user),
       (SELECT nullif(datconnlimit, -1) FROM pg_database WHERE datname = current_database())) AS allowed`,
  )
  return rows[0]?.allowed ?? 0
}

/** Without the connection for notifications, which is always open. */
export function neededConnections({ DATABASE_POOL_SIZE }: PoolSize): number {
  return DATABASE_POOL_SIZE + 1
}

/** Throws if the server doesn't allow as many connections as the pool has: requests would fail only under load. */
export async function requireConnections(database: Pick<Database, 'pool'>, config: PoolSize): Promise<void> {
  const allowed = await allowedConnections(database)
  const needed = neededConnections(config)
  if (needed <= allowed) return
  throw new StartError(
    `DATABASE_POOL_SIZE=${config.DATABASE_POOL_SIZE} takes ${needed} connections, and the database server allows ${allowed}.`,
    `Set DATABASE_POOL_SIZE to ${Math.max(2, allowed - 1)} or less, or raise max_connections of the server (or the limit of its role or database).`,
  )
}
