import type { Pool } from 'pg'
import type { WebhookStatus } from '../applications/webhooks.ts'
import type { Services } from '../operations/services.ts'

const READ = `
  SELECT (SELECT count(*) FROM webhooks WHERE active)::int AS active,
    (SELECT count(*) FROM webhooks WHERE NOT active)::int AS off,
    (SELECT coalesce(max(failed_streak), 0) FROM webhooks) AS streak,
    (SELECT count(*) FROM deliveries WHERE state = 'pending')::int AS pending,
    (SELECT coalesce(extract(epoch FROM now() - min(next_attempt_at)), 0) FROM deliveries
      WHERE state = 'pending' AND next_attempt_at < now() AND NOT resumed)::float8 AS overdue`

export async function readWebhookStatus(pool: Pool): Promise<WebhookStatus> {
  const { rows } = await pool.query<WebhookStatus>(READ)
  return rows[0] ?? { active: 0, off: 0, streak: 0, pending: 0, overdue: 0 }
}

/** Metrics of deliveries and failing webhooks. */
export function observeWebhooks({ metrics, database: { pool } }: Services): void {
  const read = (): Promise<WebhookStatus> => readWebhookStatus(pool)
  metrics.gauge('portico_webhooks', 'Webhooks', ['state'], async () => {
    const { active, off } = await read()
    return [
      [{ state: 'active' }, active],
      [{ state: 'off' }, off],
    ]
  })
  metrics.gauge(
    'portico_webhook_pending',
    'Deliveries that are under way or wait for their next attempt',
    [],
    async () => [[{}, (await read()).pending]],
  )
  metrics.gauge(
    'portico_webhook_overdue_seconds',
    'How long the oldest due delivery has been waiting',
    [],
    async () => [[{}, (await read()).overdue]],
  )
  metrics.gauge('portico_webhook_streak', 'The longest row of failed attempts of a webhook', [], async () => [
    [{}, (await read()).streak],
  ])
}
