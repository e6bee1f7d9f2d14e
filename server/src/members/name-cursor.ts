import { sql } from 'kysely'

/**
 * The name behind which the next page of a list by name begins, before all names unless told. Whoever has left the channel
 * meanwhile still marks a place: somebody may come twice, nobody is left out.
 */
export function nameCursor(channelId: string, afterId: string | undefined) {
  if (afterId === undefined) return sql`''`
  return sql`coalesce(
    (SELECT sort_name FROM members WHERE channel_id = ${channelId}::uuid AND account_id = ${afterId}::uuid),
    (SELECT sort_name(name) FROM accounts WHERE id = ${afterId}::uuid), '')`
}
