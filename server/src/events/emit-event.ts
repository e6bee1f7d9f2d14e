import type { EventKind } from '@portico/contract'
import type { Actor } from '../actor.ts'
import type { Statement } from '../db/prepared.ts'

/** Where something happened. The room decides who may be told. */
export interface EventPlace {
  readonly channelId: string
  readonly roomId?: string
}

/** Held, shared, by every transaction that writes to the log, from before it takes a position until it ends. */
export const WRITERS_LOCK = 0x706f7274

/** The bots that a private room admits: by name, or by a role of theirs. */
const ADMITTED = `ARRAY(
  SELECT m.account_id FROM members m
  WHERE m.channel_id = $1::uuid AND m.is_bot AND EXISTS (
    SELECT FROM room_admissions a WHERE a.room_id = $2::uuid AND (
      a.account_id = m.account_id OR a.role_id = m.role_id OR a.role_id IN (
        SELECT g.role_id FROM member_roles g WHERE g.channel_id = m.channel_id AND g.account_id = m.account_id))))`

const INSERT = `
  INSERT INTO events (channel_id, room_id, actor_id, event, audience, body, created_at, only_for)
  SELECT $1::uuid, $2::uuid, $3::uuid, $4, $5, $6, $7,
    CASE WHEN (SELECT private FROM rooms WHERE id = $2::uuid) THEN CASE WHEN $8 THEN ${ADMITTED} ELSE '{}' END END
  FROM pg_advisory_xact_lock_shared(${WRITERS_LOCK})`

/** The envelope is written out here, once: what is stored is what every transport sends. */
export function eventStatement(actor: Actor, kind: EventKind, place: EventPlace, data: unknown): Statement {
  const { event, audience } = kind
  const { channelId, roomId } = place
  const timestamp = new Date().toISOString()
  const body = JSON.stringify({ event, timestamp, channelId, data })
  const actorId = 'id' in actor ? actor.id : null
  const toldToAdmitted = kind.fromPrivateRooms !== 'never'
  const parameters = [channelId, roomId ?? null, actorId, event, audience, body, timestamp, toldToAdmitted]
  return { sql: INSERT, parameters }
}
