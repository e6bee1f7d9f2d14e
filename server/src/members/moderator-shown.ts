import { sql, type RawBuilder } from 'kysely'

/** The member who acted, as JSON, if the channel `c` shows people who moderated them. */
export function moderatorShown(id: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(SELECT json_build_object('id', a.id, 'name', a.name) FROM accounts a
    WHERE c.show_moderators AND a.id = ${id})`
}
