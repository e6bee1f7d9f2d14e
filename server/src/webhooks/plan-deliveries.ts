import type { Pool } from 'pg'

/**
 * Turns events into deliveries: for each webhook, those of its application between its cursor and a position. Done by
 * whichever process comes first; an event becomes one delivery however often it is done. The OFFSET keeps the events of
 * each installation a look-up of their own, between two positions: a join would go through all that the channel has.
 */
const plan = (whose: string): string => `
  WITH due AS (
    SELECT w.application_id, p.bot_id, w.cursor_seq
    FROM webhooks w JOIN applications p ON p.id = w.application_id
    WHERE w.active AND w.cursor_seq < $1::bigint AND ${whose}
    ORDER BY w.application_id
    FOR UPDATE OF w
  ), planned AS (
    INSERT INTO deliveries (id, application_id, seq, event, lane, body, state, next_attempt_at, created_at)
    SELECT gen_random_uuid(), due.application_id, e.seq, e.event, coalesce(e.room_id, e.channel_id), e.body, 'pending', now(),
      e.created_at
    FROM due
    JOIN installations i ON i.bot_id = due.bot_id
    CROSS JOIN LATERAL (
      SELECT * FROM events
      WHERE channel_id = i.channel_id AND seq > greatest(i.from_seq, due.cursor_seq)
        AND seq <= least(coalesce(i.to_seq, $1::bigint), $1::bigint)
      OFFSET 0
    ) e
    WHERE e.audience = 'bots' AND e.actor_id IS DISTINCT FROM due.bot_id
      AND (e.only_for IS NULL OR due.bot_id = ANY (e.only_for))
    ON CONFLICT (application_id, seq) DO NOTHING
    RETURNING application_id, lane
  ), moved AS (
    UPDATE webhooks w SET cursor_seq = $1::bigint FROM due WHERE w.application_id = due.application_id
  )
  SELECT application_id AS "applicationId", array_agg(DISTINCT lane) AS lanes FROM planned GROUP BY application_id`

const PLAN_ALL = { name: 'plan_all_deliveries', text: plan('true') }
const PLAN_CHANNELS = {
  name: 'plan_deliveries',
  text: plan('p.bot_id IN (SELECT i.bot_id FROM installations i WHERE i.channel_id = ANY ($2::uuid[]))'),
}

/** What there is to send now, and in which lanes. */
export interface Planned {
  readonly applicationId: string
  readonly lanes: readonly string[]
}

/** With channels, only the webhooks of applications that stand there are looked at; without, all of them. */
export async function planDeliveries(pool: Pool, upTo: number, channelIds?: readonly string[]): Promise<Planned[]> {
  const statement = channelIds ? { ...PLAN_CHANNELS, values: [upTo, channelIds] } : { ...PLAN_ALL, values: [upTo] }
  const { rows } = await pool.query<Planned>(statement)
  return rows
}
