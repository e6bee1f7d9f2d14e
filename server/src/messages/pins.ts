import { LIMITS, messagePinned, messageUnpinned, type Input, type Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import type { Change } from '../events/emit-event.ts'
import { TIME_PLACEHOLDER } from '../events/placeholders.ts'
import type { RoomPlace } from '../operations/authorize.ts'
import { cannot } from '../operations/refusal.ts'
import type { Tx } from '../operations/transaction.ts'
import { lockMessage } from './message.ts'

export async function pinMessage(
  tx: Tx,
  input: Input<typeof api.pinMessage>,
  room: RoomPlace,
): Promise<Output<typeof api.pinMessage>> {
  // Locks the room first: two concurrent pins must not both take the last place.
  await sql`SELECT FROM rooms WHERE id = ${room.roomId} FOR NO KEY UPDATE`.execute(tx.db)
  const message = await lockMessage(tx, room, input.messageId)
  if (message.pinnedAt !== null) return { messageId: message.id, pinnedAt: message.pinnedAt }

  const { pins } = await tx.db
    .selectFrom('messages')
    .select(sql<number>`count(*)::int`.as('pins'))
    .where('room_id', '=', room.roomId)
    .where('pinned_at', 'is not', null)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
  if (pins >= LIMITS.pinsOfRoom)
    throw cannot(`A room can have at most ${LIMITS.pinsOfRoom} pinned messages.`, 'too_many_pins')

  const pinned: Output<typeof api.pinMessage> = { messageId: message.id, pinnedAt: TIME_PLACEHOLDER }
  tx.emit(
    messagePinned,
    room,
    { roomId: room.roomId, ...pinned },
    { change: PIN, values: [message.id], assignTo: pinned },
  )
  note(tx, 'message.pinned', room, message, input.reason)
  return pinned
}

/** With the time of its event, so that pins sort in the order in which they were made. */
const PIN: Change = {
  columns: { message_id: 'uuid' },
  writes: [`UPDATE messages m SET pinned_at = appended.at FROM appended WHERE m.id = appended.message_id`],
}

export async function unpinMessage(tx: Tx, input: Input<typeof api.unpinMessage>, room: RoomPlace): Promise<null> {
  const message = await lockMessage(tx, room, input.messageId)
  if (message.pinnedAt === null) return null
  tx.queue(tx.db.updateTable('messages').set({ pinned_at: null }).where('id', '=', message.id))
  tx.emit(messageUnpinned, room, { roomId: room.roomId, messageId: message.id })
  note(tx, 'message.unpinned', room, message, input.reason)
  return null
}

function note(
  tx: Tx,
  action: string,
  room: RoomPlace,
  message: { id: string; authorId: string; authorName: string },
  reason: string | undefined,
): void {
  const target = { id: message.authorId, name: message.authorName }
  tx.audit({
    action,
    channelId: room.channelId,
    target,
    reason,
    details: { messageId: message.id, roomId: room.roomId },
  })
}
