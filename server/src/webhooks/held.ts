import { sql } from 'kysely'

/** Events of the application that passed while its webhook was off and became no delivery. */
export function missedEvents(applicationId: string, botId: string) {
  return sql`
    FROM webhook_gaps g
    JOIN installations i ON i.bot_id = ${botId}::uuid
    JOIN events e ON e.channel_id = i.channel_id
      AND e.seq > greatest(g.from_seq, i.from_seq)
      AND (g.to_seq IS NULL OR e.seq <= g.to_seq) AND (i.to_seq IS NULL OR e.seq <= i.to_seq)
    WHERE g.application_id = ${applicationId}::uuid AND e.audience = 'bots'
      AND e.actor_id IS DISTINCT FROM ${botId}::uuid AND (e.only_for IS NULL OR ${botId}::uuid = ANY (e.only_for))
      AND NOT EXISTS (SELECT FROM deliveries d WHERE d.application_id = g.application_id AND d.seq = e.seq)`
}

/** How much there is to replay: those, and deliveries that were unfinished when it was turned off. */
export function heldCount(applicationId: string, botId: string) {
  return sql<number>`((SELECT count(*) ${missedEvents(applicationId, botId)})
    + (SELECT count(*) FROM deliveries d WHERE d.application_id = ${applicationId}::uuid AND d.state = 'held'))::int`
}
