import { sql, type RawBuilder } from 'kysely'

/** SQL: whether the mute of a row of `member_rooms` or `channel_notifications` applies now. False if there is no row. */
export const IS_MUTED = (row: string): string =>
  `coalesce(${row}.muted AND (${row}.muted_until IS NULL OR ${row}.muted_until > now()), false)`

export function isMuted(row: string): RawBuilder<boolean> {
  return sql<boolean>`${sql.raw(IS_MUTED(row))}`
}
