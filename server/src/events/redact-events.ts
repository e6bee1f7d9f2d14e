import { sql, type RawBuilder } from 'kysely'

export interface NewBody {
  readonly seq: number
  readonly body: string
  readonly shown: string | null
}

/** Replaces what events of the log say, wherever they are read from now on. */
export function redactEvents(events: readonly NewBody[]): RawBuilder<unknown> {
  return sql`
    UPDATE events e SET body = redacted.body, shown = redacted.shown
    FROM unnest(
      ${events.map(({ seq }) => seq)}::bigint[], ${events.map(({ body }) => body)}::text[],
      ${events.map(({ shown }) => shown)}::text[]) AS redacted (seq, body, shown)
    WHERE e.seq = redacted.seq`
}
