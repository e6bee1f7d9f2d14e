import { sql } from 'kysely'

/**
 * Events of the application that passed while its webhook was off and became no delivery. The OFFSET keeps the events
 * of each installation a look-up of their own, and comparing rows leaves it only the index that is by channel: anything
 * else would go through all that the channel has, or all that happened meanwhile.
 */
export function missedEvents(applicationId: string, botId: string) {
  return sql`
    FROM webhook_gaps g
    JOIN installations i ON i.bot_id = ${botId}::uuid
    CROSS JOIN LATERAL (
      SELECT * FROM events
      WHERE (channel_id, seq) > (i.channel_id, greatest(g.from_seq, i.from_seq))
        AND (channel_id, seq) <= (i.channel_id, coalesce(least(g.to_seq, i.to_seq), 9223372036854775807))
      OFFSET 0
    ) e
    WHERE g.application_id = ${applicationId}::uuid AND e.audience = 'bots'
      AND e.actor_id IS DISTINCT FROM ${botId}::uuid AND (e.only_for IS NULL OR ${botId}::uuid = ANY (e.only_for))
      AND NOT EXISTS (SELECT FROM deliveries d WHERE d.application_id = g.application_id AND d.seq = e.seq)`
}

/** How much there is to replay: those, and deliveries that were unfinished when it was turned off. */
export function heldCount(applicationId: string, botId: string) {
  return sql<number>`((SELECT count(*) ${missedEvents(applicationId, botId)})
    + (SELECT count(*) FROM deliveries d WHERE d.application_id = ${applicationId}::uuid AND d.state = 'held'))::int`
}
