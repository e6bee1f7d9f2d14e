import type { Services } from '../operations/services.ts'

/** What became of the pushes of this process. */
export interface PushCounts {
  sent: number
  /** Given up after all attempts, or refused. */
  failed: number
  /** The browser had unsubscribed. */
  gone: number
}

export function observePushes({ metrics, database: { pool } }: Services): PushCounts {
  const counts: PushCounts = { sent: 0, failed: 0, gone: 0 }
  metrics.counter('portico_pushes_total', 'Web Push messages by outcome', ['outcome'], () =>
    Object.entries(counts).map(([outcome, count]) => [{ outcome }, count] as const),
  )
  metrics.gauge('portico_push_subscriptions', 'Browsers that are subscribed to Web Push', [], async () => {
    const { rows } = await pool.query<{ count: number }>('SELECT count(*)::int AS count FROM push_subscriptions')
    return [[{}, rows[0]?.count ?? 0]]
  })
  metrics.gauge('portico_pushes_pending', 'Web Push messages that wait to be sent', [], async () => {
    const { rows } = await pool.query<{ count: number }>('SELECT count(*)::int AS count FROM pushes')
    return [[{}, rows[0]?.count ?? 0]]
  })
  return counts
}
