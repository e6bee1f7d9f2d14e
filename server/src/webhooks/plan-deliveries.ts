import type { Pool } from 'pg'
import { wantsKindSql } from '../events/wanted-kinds.ts'

/** The batch size of one statement, so that none reaches its timeout. */
const MOST_WEBHOOKS = 250
const MOST_POSITIONS = 200
/** After a pause many positions may have passed, most of them in other channels. */
const MOST_RESUMED_POSITIONS = 2000

/**
 * Turns events into deliveries: for each webhook, its application's events between its cursor and a position. Any process
 * may do it, and it is idempotent: an event becomes one delivery. The OFFSET keeps one index scan per installation between
 * two positions: a join would read all events of the channel.
 */
const plan = (whose: string): string => `
  WITH due AS (
    SELECT w.application_id, p.bot_id, w.kinds, w.cursor_seq, w.resumed_to_seq, least($1::bigint, CASE
      WHEN w.cursor_seq < w.resumed_to_seq THEN least(w.cursor_seq + ${MOST_RESUMED_POSITIONS}, w.resumed_to_seq)
      ELSE w.cursor_seq + ${MOST_POSITIONS} END) AS up_to
    FROM webhooks w JOIN applications p ON p.id = w.application_id
    WHERE w.active AND w.cursor_seq < $1::bigint AND ${whose}
    ORDER BY w.application_id LIMIT ${MOST_WEBHOOKS}
    FOR UPDATE OF w
  ), planned AS (
    INSERT INTO deliveries (id, application_id, seq, event, lane, body, state, next_attempt_at, created_at, replayed, resumed)
    SELECT gen_random_uuid(), due.application_id, e.seq, e.event, coalesce(e.room_id, e.channel_id), event_body_for(due.bot_id, e.body, e.for_bots), 'pending', now(),
      e.created_at, e.seq <= due.resumed_to_seq, e.seq <= due.resumed_to_seq
    FROM due
    JOIN installations i ON i.bot_id = due.bot_id
    CROSS JOIN LATERAL (
      SELECT * FROM events
      WHERE channel_id = i.channel_id AND seq > greatest(i.from_seq, due.cursor_seq)
        AND seq <= least(i.to_seq, due.up_to)
      OFFSET 0
    ) e
    WHERE ${wantsKindSql('due.kinds', 'e.')} AND e.actor_id IS DISTINCT FROM due.bot_id
      AND (e.bot_readers IS NULL OR due.bot_id = ANY (e.bot_readers))
    ON CONFLICT (application_id, seq) DO NOTHING
    RETURNING application_id, lane
  ), moved AS (
    UPDATE webhooks w SET cursor_seq = due.up_to FROM due WHERE w.application_id = due.application_id
  )
  SELECT due.application_id AS "applicationId", due.up_to < $1::bigint AS behind, coalesce(p.lanes, '{}') AS lanes
  FROM due LEFT JOIN (
    SELECT application_id, array_agg(DISTINCT lane) AS lanes FROM planned GROUP BY application_id
  ) p ON p.application_id = due.application_id`

const PLAN_ALL = { name: 'plan_all_deliveries', text: plan('true') }
const PLAN_CHANNELS = {
  name: 'plan_deliveries',
  text: plan('p.bot_id IN (SELECT i.bot_id FROM installations i WHERE i.channel_id = ANY ($2::uuid[]))'),
}

/** The planned deliveries by application, with their lanes. */
export interface Planned {
  readonly applicationId: string
  readonly lanes: readonly string[]
}

/**
 * With channels, only webhooks of applications installed there are read; without, all of them. `onPlanned` is called after each
 * batch, so that sending can start.
 */
export async function planDeliveries(
  pool: Pool,
  onPlanned: (planned: readonly Planned[]) => Promise<void>,
  upTo: number,
  channelIds?: readonly string[],
): Promise<void> {
  const statement = channelIds ? { ...PLAN_CHANNELS, values: [upTo, channelIds] } : { ...PLAN_ALL, values: [upTo] }
  for (;;) {
    const { rows } = await pool.query<Planned & { behind: boolean }>(statement)
    await onPlanned(rows.filter(({ lanes }) => lanes.length > 0))
    if (rows.length < MOST_WEBHOOKS && !rows.some(({ behind }) => behind)) return
  }
}
