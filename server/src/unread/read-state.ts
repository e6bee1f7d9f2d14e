import { DEFAULT_LEVEL, readingChanged, type Input, type Output, type RoomReadState } from '@portico/contract'
import type * as api from '@portico/contract'
import { CompiledQuery } from 'kysely'
import { signedIn } from '../accounts/sessions.ts'
import { ownChannelIds } from '../channels/own-channels.ts'
import { publishToPerson } from '../events/ephemeral.ts'
import { IS_MUTED } from './is-muted.ts'
import { noSuchRoom } from '../operations/access-refusals.ts'
import type { RoomPlace } from '../operations/authorize.ts'
import { ROLE_IDS_OF_MEMBER } from '../operations/roles-of-member.ts'
import { readableRooms } from '../rooms/readable-rooms.ts'
import type { Tx } from '../operations/transaction.ts'

export async function listReadStates(
  tx: Tx,
  input: Input<typeof api.listReadStates>,
): Promise<Output<typeof api.listReadStates>> {
  const { ids, hasMore } = await ownChannelIds(tx, input)
  return { rooms: await readStatesIn(tx, ids), nextAfterId: (hasMore && ids.at(-1)) || null }
}

/** The caller's read states in these channels. */
export async function readStatesIn(tx: Tx, channelIds: readonly string[]): Promise<RoomReadState[]> {
  return readStatesOf(tx, await readableRooms(tx, channelIds))
}

/** The caller's read state of a room, also published to all their devices, so that none shows an older one. */
export async function publishReadState(tx: Tx, room: RoomPlace): Promise<RoomReadState> {
  const reading = await readStateOf(tx, room)
  publishReading(tx, reading)
  return reading
}

/** Publishes the caller's new read state after the commit, which may fill it in. */
export function publishReading(tx: Tx, reading: RoomReadState): void {
  const { id } = signedIn(tx)
  tx.afterCommit(({ bus }) => publishToPerson(bus, id, readingChanged, reading.channelId, { reading }))
}

export async function readStateOf(tx: Tx, { roomId }: { readonly roomId: string }): Promise<RoomReadState> {
  const [reading] = await readStatesOf(tx, [roomId])
  // Deleted since the access was checked.
  if (!reading) throw noSuchRoom()
  return reading
}

/** The caller's read states of rooms that they can read. */
async function readStatesOf(tx: Tx, roomIds: readonly string[]): Promise<RoomReadState[]> {
  const query = CompiledQuery.raw(READ_STATES, [signedIn(tx).id, roomIds])
  const { rows } = await tx.db.executeQuery<ReadStateRow>(query)
  return rows.map(readStateIn)
}

export type ReadStateRow = Omit<RoomReadState, 'unread'>

export function readStateIn(row: ReadStateRow): RoomReadState {
  return { ...row, unread: row.lastMessageId !== null && row.lastMessageId > row.readUpTo }
}

/**
 * SQL for the newest message of the room `o`, in an order that only one index has: ordered by id alone, the messages of all
 * other rooms might be read for an empty one.
 */
export const NEWEST_MESSAGE_ID = `
    SELECT id FROM messages WHERE room_id = ANY (ARRAY[o.id]) AND deleted_at IS NULL ORDER BY room_id, id DESC LIMIT 1`

/** Null if one of the mutes that apply has no end; else the end of the last one. */
const MUTED_UNTIL = `CASE
  WHEN ${IS_MUTED('s')} AND s.muted_until IS NULL OR ${IS_MUTED('c')} AND c.muted_until IS NULL THEN NULL
  ELSE greatest(CASE WHEN ${IS_MUTED('s')} THEN s.muted_until END, CASE WHEN ${IS_MUTED('c')} THEN c.muted_until END)
END`

/** Unread messages that mention a group of the member `m`, and not the member as well. */
const GROUP_MENTIONS = `
  SELECT count(*)::int FROM messages g
  WHERE g.room_id = o.id AND g.mentioned_groups IS NOT NULL AND g.deleted_at IS NULL AND g.author_id <> m.account_id
    AND g.id > coalesce(s.read_up_to, first_id_at(m.joined_at))
    AND g.mentioned_groups && (ARRAY['everyone', 'here'] || (${ROLE_IDS_OF_MEMBER})::text[])
    AND NOT EXISTS (
      SELECT FROM mentions n WHERE n.account_id = m.account_id AND n.room_id = g.room_id AND n.message_id = g.id)`

/**
 * SQL for the read states of the person `$1` in the rooms `$2`, by their rows in `memberRooms`. The newest message of a room is
 * one index lookup, so the cost doesn't grow with the history.
 */
export function selectReadStates(memberRooms: string): string {
  return `
  SELECT o.channel_id AS "channelId", o.id AS "roomId", l.id AS "lastMessageId",
    coalesce(s.read_up_to, first_id_at(m.joined_at)) AS "readUpTo", ${IS_MUTED('s')} OR ${IS_MUTED('c')} AS muted,
    ${IS_MUTED('c')} AS "channelMuted", ${MUTED_UNTIL} AS "mutedUntil",
    coalesce(s.level, c.level, '${DEFAULT_LEVEL}') AS level,
    (SELECT count(*)::int FROM mentions n WHERE n.account_id = m.account_id AND n.room_id = o.id
      AND (s.read_up_to IS NULL OR n.message_id > s.read_up_to)) + (${GROUP_MENTIONS}) AS mentions
  FROM unnest($2::uuid[]) AS requested (id)
  JOIN rooms o ON o.id = requested.id
  JOIN members m ON m.channel_id = o.channel_id AND m.account_id = $1::uuid
  LEFT JOIN ${memberRooms} s ON s.account_id = m.account_id AND s.room_id = o.id
  LEFT JOIN channel_notifications c ON c.account_id = m.account_id AND c.channel_id = m.channel_id
  LEFT JOIN LATERAL (
    ${NEWEST_MESSAGE_ID}
  ) l ON true`
}

const READ_STATES = selectReadStates('member_rooms')
