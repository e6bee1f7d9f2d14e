import type { Pool } from 'pg'
import { batchResults } from '../db/batch.ts'
import { READ_PLACE_SQL } from '../events/reader-events.ts'
import { INSTALLATION_EVENTS_SQL } from '../events/wanted-kinds.ts'
import type { DueDelivery } from './due-deliveries.ts'

/** The current body, URL and secret of a delivery: the text of a message may have been deleted meanwhile. */
export interface DeliveryTarget {
  readonly body: string
  readonly url: string
  readonly secret: Buffer
}

const MOST_TOGETHER = 200

/**
 * The body is that of the event log, while it is there: a delivery that was planned while a message was being deleted still has
 * its text, and is corrected here. The bot is judged again: what it may no longer read, or what happened in a channel that it was removed from, is held.
 * What tells of its installation is sent in any case. Once for all deliveries of a bot in a room, because most of a batch are. A test event belongs to no channel.
 */
const READ_TARGETS = `
  WITH due AS MATERIALIZED (
    SELECT d.id, d.attempts, d.event, coalesce(now.body, d.body) AS body, now.body <> d.body AS is_outdated, w.url, w.secret, p.bot_id,
      (d.body::json ->> 'channelId')::uuid AS channel_id, d.lane AS room_id
    FROM deliveries d
    JOIN webhooks w ON w.application_id = d.application_id AND w.active AND w.leased_by = $2::uuid
    JOIN applications p ON p.id = d.application_id
    LEFT JOIN events e ON e.seq = d.seq
    CROSS JOIN LATERAL (SELECT event_body_for(p.bot_id, e.body, e.for_bots) AS body) now
    WHERE d.id = ANY ($1::uuid[]) AND d.state = 'pending'
  ), readable AS MATERIALIZED (
    SELECT bot_id, place FROM (SELECT DISTINCT bot_id, channel_id, ${READ_PLACE_SQL} AS place FROM due) places
    WHERE bot_can_read(bot_id, channel_id, nullif(place, channel_id))
  ), targets AS MATERIALIZED (
    SELECT id, attempts, body, is_outdated, url, secret FROM due
    WHERE channel_id IS NULL OR event IN ${INSTALLATION_EVENTS_SQL} OR (bot_id, ${READ_PLACE_SQL}) IN (SELECT bot_id, place FROM readable)
  ), held AS (
    UPDATE deliveries d SET state = 'held', next_attempt_at = NULL, resumed = false
    FROM (SELECT id FROM due EXCEPT SELECT id FROM targets) unreadable
    WHERE d.id = unreadable.id AND d.state = 'pending'
  ), corrected AS (
    UPDATE deliveries d SET body = targets.body FROM targets WHERE d.id = targets.id AND targets.is_outdated
  )
  SELECT id, attempts, body, url, secret FROM targets`

/**
 * Reads the target just before an attempt, because the delivery was found due some time ago. Undefined if it must not be
 * sent: attempted or given up elsewhere, no longer for the bot, the webhook off or removed, or the lease lost.
 */
export function deliveryTargetReader(
  pool: Pool,
  worker: string,
): (delivery: DueDelivery) => Promise<DeliveryTarget | undefined> {
  return batchResults(MOST_TOGETHER, async (deliveries: readonly DueDelivery[]) => {
    const { rows } = await pool.query<DeliveryTarget & { id: string; attempts: number }>({
      name: 'delivery_targets',
      text: READ_TARGETS,
      values: [deliveries.map(({ id }) => id), worker],
    })
    const found = new Map(rows.map((row) => [row.id, row]))
    return deliveries.map(({ id, attempts }) => {
      const target = found.get(id)
      return target?.attempts === attempts ? target : undefined
    })
  })
}
