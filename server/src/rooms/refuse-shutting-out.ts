import type { RoomRight } from '@portico/contract'
import { sql, type RawBuilder } from 'kysely'
import { authorOf } from '../operations/actor.ts'
import type { RoleFacts, RoomPlace } from '../operations/authorize.ts'
import { Refusal } from '../operations/refusal.ts'
import { roleIdsOfMember } from '../operations/roles-of-member.ts'
import type { Tx } from '../operations/transaction.ts'

/** Whom a private room admits. */
export interface Admitted {
  readonly roleIds: readonly string[]
  readonly memberIds: readonly string[]
}

/** Without these rights a member can't enter a room. */
const ENTRY: readonly RoomRight[] = ['read_text_room', 'join_voice_room']

/** Roles at or above the caller's rank stay admitted to a room that the caller makes private. */
export async function admitHigherRanks(tx: Tx, { channelId, roomId, rank }: RoomPlace): Promise<void> {
  await sql`
    INSERT INTO room_admissions (channel_id, room_id, role_id)
    SELECT channel_id, ${roomId}::uuid, id FROM roles
    WHERE channel_id = ${channelId}::uuid AND rank >= ${rank} AND system_name <> 'CHANNEL_OWNER'
    ON CONFLICT ON CONSTRAINT room_admissions_once DO NOTHING`.execute(tx.db)
}

/** Refuses admissions that exclude a member at or above the caller's rank from a private room. */
export async function refuseShuttingOut(tx: Tx, room: RoomPlace, before: Admitted, after: Admitted): Promise<void> {
  const admits = ({ roleIds, memberIds }: Admitted) =>
    sql`(m.account_id = ANY (${memberIds}::uuid[]) OR r.ids && ${roleIds}::uuid[])`
  const name = await higherRanked(tx, room, room.rank, sql`${admits(before)} AND NOT ${admits(after)}`)
  if (name !== undefined) throw shutsOut(name)
}

/** Refuses an override that keeps a member at or above the caller's rank, who also has the role, from entering. */
export async function refuseDenyingEntry(
  tx: Tx,
  room: RoomPlace,
  role: RoleFacts,
  denied: readonly RoomRight[],
): Promise<void> {
  for (const right of ENTRY.filter((one) => denied.includes(one))) {
    const allowedByHigher = sql`EXISTS (
      SELECT FROM room_overrides v JOIN roles t ON t.id = v.role_id
      WHERE v.room_id = ${room.roomId}::uuid AND t.id = ANY (r.ids) AND t.rank > ${role.rank} AND ${right} = ANY (v.allow))`
    const name = await higherRanked(tx, room, room.rank, sql`${role.id}::uuid = ANY (r.ids) AND NOT ${allowedByHigher}`)
    if (name !== undefined) throw shutsOut(name)
  }
}

/** Refuses to delete a private room that admits a member above the caller's rank. */
export async function refuseDeletingForHigher(tx: Tx, room: RoomPlace): Promise<void> {
  const admitted = sql`EXISTS (
    SELECT FROM room_admissions a
    WHERE a.room_id = ${room.roomId}::uuid AND (a.account_id = m.account_id OR a.role_id = ANY (r.ids)))`
  const name = await higherRanked(tx, room, room.rank + 1, admitted)
  if (name === undefined) return
  throw new Refusal('forbidden', {
    message: `The room admits ${name}, whose role is above yours.`,
    reason: 'higher_rank_admitted',
  })
}

/** The name of another member `m` with roles `r.ids` who matches the condition and has a role of at least this rank. */
async function higherRanked(
  tx: Tx,
  { channelId, ownerId }: RoomPlace,
  rank: number,
  condition: RawBuilder<unknown>,
): Promise<string | undefined> {
  const { rows } = await sql<{ name: string }>`
    SELECT a.name FROM members m
    JOIN accounts a ON a.id = m.account_id
    CROSS JOIN LATERAL (SELECT ${roleIdsOfMember} AS ids) r
    WHERE m.channel_id = ${channelId}::uuid AND m.account_id <> ALL (${[ownerId, authorOf(tx.actor).id]}::uuid[])
      AND EXISTS (SELECT FROM roles t WHERE t.id = ANY (r.ids) AND t.rank >= ${rank}) AND ${condition}
    LIMIT 1`.execute(tx.db)
  return rows[0]?.name
}

function shutsOut(name: string): Refusal {
  return new Refusal('forbidden', {
    message: `${name}’s role isn’t below yours, and they would lose access to this room.`,
    reason: 'higher_rank_shut_out',
  })
}
