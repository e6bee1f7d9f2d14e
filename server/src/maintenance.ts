import { LIMITS } from '@portico/contract'
import { sql } from 'kysely'
import { trimEvents } from './events/trim.ts'
import type { Parts } from './parts.ts'
import { sweepSignIns } from './sign-in/sweep-sign-ins.ts'

const HOUR = 60 * 60 * 1000

/** Sweeps out what has outlived its keeping time, now and every hour. Returns what stops it. */
export function startMaintenance(parts: Parts): () => Promise<void> {
  let sweeping = sweepLogged(parts)
  const timer = setInterval(() => {
    sweeping = sweepLogged(parts)
  }, HOUR)
  timer.unref()
  return async () => {
    clearInterval(timer)
    await sweeping
  }
}

async function sweepLogged(parts: Parts): Promise<void> {
  try {
    await sweep(parts)
  } catch (error) {
    parts.log.error({ err: error }, 'sweeping old rows failed; the next try is in an hour')
  }
}

export async function sweep({ database: { kysely, pool }, config }: Parts): Promise<void> {
  const ago = (seconds: number) => sql<string>`now() - make_interval(secs => ${seconds})`
  await kysely
    .deleteFrom('sign_in_failures')
    .where('failed_at', '<', ago(60 * 60))
    .execute()
  await kysely.deleteFrom('sessions').where('last_used_at', '<', ago(LIMITS.sessionLife)).execute()
  await kysely.deleteFrom('idempotency_keys').where('created_at', '<', ago(LIMITS.idempotencySeconds)).execute()
  await kysely.deleteFrom('burnt_tokens').where('expires_at', '<', ago(0)).execute()
  await sweepSignIns(kysely)
  await trimEvents(pool)
  await kysely
    .deleteFrom('audit_log')
    .where('created_at', '<', ago(config.AUDIT_LOG_DAYS * 86_400))
    .execute()
}
