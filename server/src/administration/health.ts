import type { Health } from '@portico/contract'
import { LIMITS } from '@portico/contract/limits'
import { sql } from 'kysely'
import { storageFacts } from '../db/storage-facts.ts'
import { PROCESSES_LOCK } from '../events/bus.ts'
import type { EventLog } from '../events/event-log.ts'
import { RedisUnavailable, type Redis } from '../redis/redis.ts'
import type { Services } from '../operations/services.ts'
import type { Tx } from '../operations/transaction.ts'

/** In milliseconds: events that are delivered within this time don't lag behind. */
const LAG_PATIENCE = 500

type Counts = Omit<
  Health,
  | 'version'
  | 'uptimeSeconds'
  | 'address'
  | 'disk'
  | 'walBytes'
  | 'lastBackupAt'
  | 'webhooks'
  | 'eventLag'
  | 'media'
  | 'mediaAddresses'
  | 'files'
  | 'cluster'
> & {
  readonly top: number
  readonly nodes: number
}

export async function getHealth(
  { db }: Tx,
  _input: unknown,
  _place: undefined,
  {
    config,
    eventLog,
    files,
    linkBase,
    media,
    redis,
    version,
    webhooks,
  }: Pick<Services, 'config' | 'eventLog' | 'files' | 'linkBase' | 'media' | 'redis' | 'version' | 'webhooks'>,
): Promise<Health> {
  const { rows } = await sql<Counts>`
    SELECT pg_database_size(current_database()) AS "databaseBytes",
      (SELECT count(*) FROM accounts WHERE kind = 'person' AND deleted_at IS NULL)::int AS people,
      ((SELECT count(*) FROM channels) - (SELECT count(*) FROM channels WHERE deleted_at IS NOT NULL))::int AS channels,
      (SELECT count(*) FROM applications)::int AS applications,
      (SELECT count(*) FROM sessions)::int AS sessions,
      ${sizeOf('messages')} AS messages,
      ${sizeOf('events')} AS events,
      coalesce((SELECT max(seq) FROM events), 0) AS top,
      (SELECT count(DISTINCT l.objid) FROM pg_locks l JOIN pg_database d ON d.oid = l.database
        WHERE l.locktype = 'advisory' AND l.classid = ${PROCESSES_LOCK} AND d.datname = current_database())::int AS nodes`.execute(
    db,
  )
  const [counts] = rows
  if (!counts) throw new Error('the database counted nothing')
  const { top, nodes, ...sizes } = counts
  const { diskBytes, diskFreeBytes, walBytes, lastBackupAt } = await storageFacts(db, config.PORTICO_DATA)
  const [{ active, off, pending, overdue }, { state, announced }] = await Promise.all([
    webhooks.status(),
    media.status(),
  ])
  return {
    version: version,
    uptimeSeconds: Math.floor(process.uptime()),
    address: linkBase(),
    ...sizes,
    disk: { bytes: diskBytes, freeBytes: diskFreeBytes },
    walBytes,
    lastBackupAt,
    eventLag: await lagBehind(eventLog, top),
    webhooks: { active, off, pending, overdueSeconds: Math.round(overdue) },
    media: state,
    ...(announced && { mediaAddresses: [...announced] }),
    files: { kind: files.kind, reachable: files.isReady },
    ...(redis && { cluster: { nodes, redisMilliseconds: await roundTrip(redis) } }),
  }
}

/** A node that follows no busy channel learns only when it asks how far the log is. */
async function lagBehind(eventLog: EventLog, top: number): Promise<number> {
  await eventLog.reaches(top, LAG_PATIENCE).catch(() => undefined)
  return Math.max(0, top - eventLog.top)
}

async function roundTrip(redis: Redis): Promise<number | null> {
  try {
    return await redis.roundTrip()
  } catch (error) {
    if (error instanceof RedisUnavailable) return null
    throw error
  }
}

/** Exact while the table is small; beyond that, the database's own estimate. */
function sizeOf(table: 'messages' | 'events') {
  const most = LIMITS.countedExactly
  return sql`(
    SELECT CASE WHEN counted <= ${most} THEN counted ELSE greatest(counted, reltuples) END::bigint
    FROM pg_class, (SELECT count(*) AS counted FROM (SELECT FROM ${sql.table(table)} LIMIT ${most + 1}) AS first) AS counts
    WHERE oid = ${table}::regclass)`
}
