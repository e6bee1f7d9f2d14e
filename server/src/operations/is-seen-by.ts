import { sql } from 'kysely'
import type { Actor } from './actor.ts'
import type { ChannelPlace } from './authorize.ts'

/** SQL: whether the caller sees the room `o`. Private rooms are never listed for bots, not even if they admit them. */
export function isSeenBy(actor: Actor, { ownerId, roles }: ChannelPlace) {
  if (actor.kind !== 'person') return sql<boolean>`NOT o.private`
  if (actor.id === ownerId) return sql<boolean>`true`
  return sql<boolean>`(NOT o.private OR EXISTS (
    SELECT FROM room_admissions a
    WHERE a.room_id = o.id AND (a.account_id = ${actor.id}::uuid OR a.role_id = ANY (${roles.map(({ id }) => id)}::uuid[]))
  ))`
}
