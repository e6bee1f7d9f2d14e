import { sql, type RawBuilder } from 'kysely'
import type { RedactedEvent } from '../applications/webhooks.ts'

/** Only applications of the channel have deliveries of its events, which lets the statement use an index. */
export function redactDeliveries(channelId: string, events: readonly RedactedEvent[]): RawBuilder<unknown> {
  const redacted = sql`unnest(
    ${events.map(({ seq }) => seq)}::bigint[], ${events.map(({ body }) => body)}::text[]) AS redacted (seq, body)`
  return sql`
    UPDATE deliveries d SET body = redacted.body FROM ${redacted}
    WHERE d.seq = redacted.seq AND d.body <> redacted.body AND d.application_id IN (
      SELECT p.id FROM installations i JOIN applications p ON p.bot_id = i.bot_id WHERE i.channel_id = ${channelId}::uuid)`
}
