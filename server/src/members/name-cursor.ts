import { sql } from 'kysely'

/**
 * The name after which the next page of a list by name begins; without a cursor, before all names. A member who has left
 * stays a valid cursor: a member may appear twice, but none is left out.
 */
export function nameCursor(channelId: string, afterId: string | undefined) {
  if (afterId === undefined) return sql`''`
  return sql`coalesce(
    (SELECT sort_name FROM members WHERE channel_id = ${channelId}::uuid AND account_id = ${afterId}::uuid),
    (SELECT sort_name(name) FROM accounts WHERE id = ${afterId}::uuid), '')`
}
