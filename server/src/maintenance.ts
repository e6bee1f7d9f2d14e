import { sql } from 'kysely'
import { deleteExpiredSessions, deleteOldSessionEnds } from './accounts/delete-sessions.ts'
import { deleteExpiredResetLinks } from './accounts/reset-link.ts'
import { deleteOldFailures } from './accounts/sign-in-throttle.ts'
import type { Sweep } from './db/delete-in-batches.ts'
import { runAlone } from './db/run-alone.ts'
import { trimEvents } from './events/trim.ts'
import { sweepFiles } from './files/stored-files.ts'
import { deleteExpiredBans } from './members/bans.ts'
import { deleteOldInstallations } from './members/membership.ts'
import { deleteAuditEntriesBefore } from './operations/audit-entry.ts'
import { deleteExpiredIdempotencyKeys } from './operations/idempotency.ts'
import type { Services } from './operations/services.ts'
import { movePictures } from './pictures/move-pictures.ts'
import { forgetPrivateRoomsDeletedBefore } from './rooms/delete-room.ts'
import { sweepUploads } from './uploads/upload.ts'
import { sweepSignIns } from './sign-in/sweep-sign-ins.ts'
import { trimDeliveries } from './webhooks/trim-deliveries.ts'
import { deleteExpiredTokens } from './websocket/stream-owner.ts'

const HOUR = 60 * 60 * 1000
/** Held by the node that cleans up. */
export const MAINTENANCE_LOCK = 0x706f7267

/** Deletes what has expired, now and every hour, on one node of a cluster at a time. Returns what stops it. */
export function startMaintenance(services: Services): () => Promise<void> {
  const stopping = new AbortController()
  let sweeping = sweepAlone(services, stopping.signal)
  const timer = setInterval(() => {
    sweeping = sweepAlone(services, stopping.signal)
  }, HOUR)
  timer.unref()
  return async () => {
    clearInterval(timer)
    stopping.abort()
    await sweeping
  }
}

export async function sweepAlone(services: Services, stopping?: AbortSignal): Promise<void> {
  try {
    await runAlone(services.database.pool, MAINTENANCE_LOCK, () => sweep(services, stopping))
  } catch (error) {
    services.log.error({ err: error }, 'cleanup failed; it runs again in an hour')
  }
}

/** Runs every step, whatever happens to the others: one that fails is logged and tried again in an hour. */
export async function sweep(services: Services, stopping?: AbortSignal): Promise<void> {
  for (const [step, run] of Object.entries(stepsOf(services, stopping))) {
    if (stopping?.aborted) return
    try {
      await run()
    } catch (error) {
      services.log.error({ err: error, step }, 'cleanup step failed; it runs again in an hour')
    }
  }
}

function stepsOf(services: Services, stopping: AbortSignal | undefined): Record<string, () => Promise<unknown>> {
  const { database, config } = services
  const { kysely: db, pool } = database
  const batches: Sweep = { db, stopping }
  const auditEnd = sql<string>`now() - make_interval(secs => ${config.AUDIT_LOG_DAYS * 86_400})`
  return {
    'sign-in failures': () => deleteOldFailures(batches),
    sessions: () => deleteExpiredSessions(batches),
    'ended sessions': () => deleteOldSessionEnds(batches),
    'reset links': () => deleteExpiredResetLinks(batches),
    bans: () => deleteExpiredBans(batches),
    'idempotency keys': () => deleteExpiredIdempotencyKeys(batches),
    'revoked event tokens': () => deleteExpiredTokens(batches),
    'sign-ins': () => sweepSignIns(batches),
    events: () => trimEvents(pool, stopping),
    installations: () => deleteOldInstallations(batches),
    deliveries: () => trimDeliveries(pool, stopping),
    'audit log': () => deleteAuditEntriesBefore(batches, auditEnd),
    'deleted private rooms': () => forgetPrivateRoomsDeletedBefore(batches, auditEnd),
    pictures: () => movePictures(services),
    uploads: () => sweepUploads(batches),
    files: () => sweepFiles(services),
  }
}
