import { sql, type RawBuilder } from 'kysely'

export interface NewBody {
  readonly seq: number
  readonly body: string
  readonly shown: string | null
}

/** Replaces the content of events in the log for all later reads. */
export function redactEvents(events: readonly NewBody[]): RawBuilder<unknown> {
  return sql`
    UPDATE events e SET body = redacted.body, shown = redacted.shown, for_bots = NULL
    FROM unnest(
      ${events.map(({ seq }) => seq)}::bigint[], ${events.map(({ body }) => body)}::text[],
      ${events.map(({ shown }) => shown)}::text[]) AS redacted (seq, body, shown)
    WHERE e.seq = redacted.seq`
}
