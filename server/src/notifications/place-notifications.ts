import {
  DEFAULT_LEVEL,
  readingChanged,
  type Input,
  type NotificationLevel,
  type PlaceNotifications,
} from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import { signedIn } from '../accounts/sessions.ts'
import { publishToPerson } from '../events/ephemeral.ts'
import type { ChannelPlace, RoomPlace } from '../operations/authorize.ts'
import type { Tx } from '../operations/transaction.ts'
import { publishReadState } from '../unread/read-state.ts'
import { isMuted } from '../unread/is-muted.ts'

export async function getRoomNotifications(
  tx: Tx,
  _input: Input<typeof api.getRoomNotifications>,
  { roomId, channelId }: RoomPlace,
): Promise<PlaceNotifications> {
  const { id } = signedIn(tx)
  const { rows } = await sql<PlaceNotifications>`
    SELECT r.level, coalesce(c.level, ${DEFAULT_LEVEL}::text) AS "inheritedLevel", ${isMuted('r')} AS muted,
      CASE WHEN ${isMuted('r')} THEN r.muted_until END AS "mutedUntil"
    FROM (SELECT ${id}::uuid AS id) a
    LEFT JOIN member_rooms r ON r.account_id = a.id AND r.room_id = ${roomId}::uuid
    LEFT JOIN channel_notifications c ON c.account_id = a.id AND c.channel_id = ${channelId}::uuid`.execute(tx.db)
  return rows[0]!
}

export async function getChannelNotifications(
  tx: Tx,
  _input: Input<typeof api.getChannelNotifications>,
  { channelId }: ChannelPlace,
): Promise<PlaceNotifications> {
  const { rows } = await sql<Omit<PlaceNotifications, 'inheritedLevel'>>`
    SELECT c.level, ${isMuted('c')} AS muted, CASE WHEN ${isMuted('c')} THEN c.muted_until END AS "mutedUntil"
    FROM channel_notifications c
    WHERE c.account_id = ${signedIn(tx).id}::uuid AND c.channel_id = ${channelId}::uuid`.execute(tx.db)
  return { ...(rows[0] ?? { level: null, muted: false, mutedUntil: null }), inheritedLevel: DEFAULT_LEVEL }
}

export async function updateRoomNotifications(
  tx: Tx,
  input: Input<typeof api.updateRoomNotifications>,
  room: RoomPlace,
): Promise<PlaceNotifications> {
  const changed = changedColumns(input)
  if (Object.keys(changed).length > 0) {
    await tx.db
      .insertInto('member_rooms')
      .values({ account_id: signedIn(tx).id, room_id: room.roomId, channel_id: room.channelId, ...changed })
      .onConflict((conflict) => conflict.columns(['account_id', 'room_id']).doUpdateSet(changed))
      .execute()
  }
  await publishReadState(tx, room)
  return getRoomNotifications(tx, input, room)
}

export async function updateChannelNotifications(
  tx: Tx,
  input: Input<typeof api.updateChannelNotifications>,
  channel: ChannelPlace,
): Promise<PlaceNotifications> {
  const changed = changedColumns(input)
  const { id } = signedIn(tx)
  const { channelId } = channel
  if (Object.keys(changed).length > 0) {
    await tx.db
      .insertInto('channel_notifications')
      .values({ account_id: id, channel_id: channelId, ...changed })
      .onConflict((conflict) => conflict.columns(['channel_id', 'account_id']).doUpdateSet(changed))
      .execute()
  }
  // It concerns every room of the channel.
  tx.afterCommit(({ bus }) => publishToPerson(bus, id, readingChanged, channelId, {}))
  return getChannelNotifications(tx, input, channel)
}

interface Choice {
  readonly level?: NotificationLevel | null
  readonly muted?: boolean
  readonly durationSec?: number
}

function changedColumns({ level, muted, durationSec }: Choice) {
  const end = sql<string | null>`now() + make_interval(secs => ${durationSec ?? 0}::int)`
  return {
    ...(level !== undefined && { level }),
    ...(muted !== undefined && { muted, muted_until: muted && durationSec !== undefined ? end : null }),
  }
}
