import { sql, type RawBuilder } from 'kysely'
import type { RedactedEvent } from '../applications/webhooks.ts'

/**
 * Only applications of the channel have deliveries of its events. Each is looked up by its position (hence the LIMIT): a join
 * might read all deliveries of these applications.
 */
export function redactDeliveries(channelId: string, events: readonly RedactedEvent[]): RawBuilder<unknown> {
  const redacted = sql`unnest(
    ${events.map(({ seq }) => seq)}::bigint[], ${events.map(({ body }) => body)}::text[]) AS redacted (seq, body)`
  return sql`
    UPDATE deliveries d SET body = redacted.body
    FROM ${redacted}
    CROSS JOIN (
      SELECT DISTINCT p.id FROM installations i JOIN applications p ON p.bot_id = i.bot_id
      WHERE i.channel_id = ${channelId}::uuid
    ) application
    CROSS JOIN LATERAL (
      SELECT id FROM deliveries WHERE application_id = application.id AND seq = redacted.seq LIMIT 1
    ) found
    WHERE d.id = found.id AND d.body <> redacted.body`
}
