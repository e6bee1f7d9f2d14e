import { sql } from 'kysely'
import { READ_PLACE_SQL } from '../events/reader-events.ts'
import { INSTALLATION_EVENTS_SQL, wantsKindSql } from '../events/wanted-kinds.ts'

export const READ_PLACE = sql.raw(READ_PLACE_SQL)
const INSTALLATION_EVENTS = sql.raw(INSTALLATION_EVENTS_SQL)
const WANTED = sql.raw(wantsKindSql('w.kinds', 'e.'))

/**
 * The rows `e`: events of the application from while its webhook was off that became no delivery, if the bot can still
 * read them. The OFFSET keeps one index scan per installation, and the row comparison allows only the index by channel:
 * other plans read all events of the channel, or all events since.
 */
export function missedEvents(applicationId: string, botId: string) {
  return sql`
    FROM (
      WITH missed AS MATERIALIZED (
        SELECT e.* FROM webhook_gaps g
        JOIN webhooks w ON w.application_id = g.application_id
        JOIN installations i ON i.bot_id = ${botId}::uuid
        CROSS JOIN LATERAL (
          SELECT * FROM events
          WHERE (channel_id, seq) > (i.channel_id, greatest(g.from_seq, i.from_seq))
            AND (channel_id, seq) <= (i.channel_id, coalesce(least(g.to_seq, i.to_seq), 9223372036854775807))
          OFFSET 0
        ) e
        WHERE g.application_id = ${applicationId}::uuid AND ${WANTED}
          AND e.actor_id IS DISTINCT FROM ${botId}::uuid AND (e.bot_readers IS NULL OR ${botId}::uuid = ANY (e.bot_readers))
          AND NOT EXISTS (SELECT FROM deliveries d WHERE d.application_id = g.application_id AND d.seq = e.seq)
      ), readable AS MATERIALIZED (
        SELECT place FROM (SELECT DISTINCT channel_id, ${READ_PLACE} AS place FROM missed) places
        WHERE bot_can_read(${botId}::uuid, channel_id, nullif(place, channel_id))
      )
      SELECT * FROM missed WHERE event IN ${INSTALLATION_EVENTS} OR ${READ_PLACE} IN (SELECT place FROM readable)
    ) e`
}

/**
 * The rows `d`: deliveries that were held before they succeeded, if the bot can still read them. The lane of a message's
 * delivery is its room. A test event belongs to no channel.
 */
export function heldDeliveries(applicationId: string, botId: string) {
  return sql`
    FROM (
      WITH held AS MATERIALIZED (
        SELECT d.id, d.seq, d.event, (d.body::json ->> 'channelId')::uuid AS channel_id, d.lane AS room_id
        FROM deliveries d WHERE d.application_id = ${applicationId}::uuid AND d.state = 'held'
      ), readable AS MATERIALIZED (
        SELECT place FROM (SELECT DISTINCT channel_id, ${READ_PLACE} AS place FROM held) places
        WHERE bot_can_read(${botId}::uuid, channel_id, nullif(place, channel_id))
      )
      SELECT id, seq FROM held
      WHERE channel_id IS NULL OR event IN ${INSTALLATION_EVENTS} OR ${READ_PLACE} IN (SELECT place FROM readable)
    ) d`
}

/** The number of events to replay. */
export function heldCount(applicationId: string, botId: string) {
  return sql<number>`((SELECT count(*) ${missedEvents(applicationId, botId)})
    + (SELECT count(*) ${heldDeliveries(applicationId, botId)}))::int`
}
