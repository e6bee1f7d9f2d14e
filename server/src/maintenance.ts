import { LIMITS } from '@portico/contract'
import { sql } from 'kysely'
import { trimDeliveries, trimEvents } from './events/trim.ts'
import type { Services } from './operations/services.ts'
import { sweepSignIns } from './sign-in/sweep-sign-ins.ts'

const HOUR = 60 * 60 * 1000

/** Deletes what has expired, now and every hour. Returns what stops it. */
export function startMaintenance(services: Services): () => Promise<void> {
  let sweeping = sweep(services)
  const timer = setInterval(() => {
    sweeping = sweep(services)
  }, HOUR)
  timer.unref()
  return async () => {
    clearInterval(timer)
    await sweeping
  }
}

/** Runs every step, whatever happens to the others: one that fails is logged and tried again in an hour. */
export async function sweep(services: Services): Promise<void> {
  for (const [step, run] of Object.entries(stepsOf(services))) {
    try {
      await run()
    } catch (error) {
      services.log.error({ err: error, step }, 'cleanup step failed; it runs again in an hour')
    }
  }
}

function stepsOf({ database: { kysely, pool }, config }: Services): Record<string, () => Promise<unknown>> {
  const ago = (seconds: number) => sql<string>`now() - make_interval(secs => ${seconds})`
  const auditEnd = ago(config.AUDIT_LOG_DAYS * 86_400)
  const hourAgo = ago(60 * 60)
  return {
    'sign-in failures': () => kysely.deleteFrom('sign_in_failures').where('failed_at', '<', hourAgo).execute(),
    sessions: () => kysely.deleteFrom('sessions').where('last_used_at', '<', ago(LIMITS.sessionLife)).execute(),
    'idempotency keys': () =>
      kysely.deleteFrom('idempotency_keys').where('created_at', '<', ago(LIMITS.idempotencySeconds)).execute(),
    'burnt tokens': () => kysely.deleteFrom('revoked_event_tokens').where('expires_at', '<', ago(0)).execute(),
    'sign-ins': () => sweepSignIns(kysely),
    events: () => trimEvents(pool),
    deliveries: () => trimDeliveries(pool),
    'audit log': () => kysely.deleteFrom('audit_log').where('created_at', '<', auditEnd).execute(),
    'deleted private rooms': () =>
      kysely.deleteFrom('deleted_private_rooms').where('deleted_at', '<', auditEnd).execute(),
  }
}
