import { LIMITS, reactionAdded, reactionRemoved, type Input, type Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import { authorOf } from '../operations/actor.ts'
import type { RoomPlace } from '../operations/authorize.ts'
import { cannot } from '../operations/refusal.ts'
import type { Tx } from '../operations/transaction.ts'
import { fullEmoji } from './emoji.ts'
import { lockMessage } from './message.ts'

export async function addReaction(
  tx: Tx,
  input: Input<typeof api.addReaction>,
  room: RoomPlace,
): Promise<Output<typeof api.addReaction>> {
  const { id } = await lockMessage(tx, room, input.messageId)
  const emoji = fullEmoji(input.emoji)
  const user = authorOf(tx.actor)
  const { kinds, mine, total, known } = await countsOf(tx, id, emoji)
  if (!mine) {
    if (!known && kinds >= LIMITS.reactionKinds) {
      throw cannot(`A message can have at most ${LIMITS.reactionKinds} different reactions.`, 'too_many_reactions')
    }
    tx.queue(tx.db.insertInto('reactions').values({ message_id: id, emoji, account_id: user.id }))
    emitReactions(tx, reactionAdded, room, id, emoji, total + 1)
  }
  return { emoji, messageId: id }
}

export async function removeReaction(tx: Tx, input: Input<typeof api.removeReaction>, room: RoomPlace): Promise<null> {
  const { id } = await lockMessage(tx, room, input.messageId)
  const emoji = fullEmoji(input.emoji)
  const { mine, total } = await countsOf(tx, id, emoji)
  if (mine) {
    const { id: accountId } = authorOf(tx.actor)
    tx.queue(
      tx.db
        .deleteFrom('reactions')
        .where('message_id', '=', id)
        .where('emoji', '=', emoji)
        .where('account_id', '=', accountId),
    )
    emitReactions(tx, reactionRemoved, room, id, emoji, total - 1)
  }
  return null
}

/** Exact, because the message is locked. */
async function countsOf(tx: Tx, messageId: string, emoji: string) {
  const accountId = authorOf(tx.actor).id
  const { rows } = await sql<{ kinds: number; known: boolean; mine: boolean; total: number }>`
    SELECT count(DISTINCT emoji)::int AS kinds,
      count(*) FILTER (WHERE emoji = ${emoji}) > 0 AS known,
      count(*) FILTER (WHERE emoji = ${emoji} AND account_id = ${accountId}::uuid) > 0 AS mine,
      count(*) FILTER (WHERE emoji = ${emoji})::int AS total
    FROM reactions WHERE message_id = ${messageId}::uuid`.execute(tx.db)
  const [counts] = rows
  if (!counts) throw new Error('an aggregate gave no row')
  return counts
}

function emitReactions(
  tx: Tx,
  kind: typeof reactionAdded | typeof reactionRemoved,
  room: RoomPlace,
  messageId: string,
  emoji: string,
  totalCount: number,
): void {
  tx.emit(kind, room, { roomId: room.roomId, messageId, emoji, totalCount, user: authorOf(tx.actor) })
}
