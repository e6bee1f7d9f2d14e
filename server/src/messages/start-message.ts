import { REFUSALS, STREAM_LIMITS, type Input, type Message } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import { memberOf } from '../operations/actor.ts'
import type { RoomPlace } from '../operations/authorize.ts'
import { cannot } from '../operations/refusal.ts'
import type { Tx } from '../operations/transaction.ts'
import { sendOnce } from './send-message.ts'

export async function startMessage(
  tx: Tx,
  { text, replyToId }: Input<typeof api.startMessage>,
  room: RoomPlace,
): Promise<Message> {
  const extras = { streaming: 'writing' } as const
  return sendOnce(tx, room, { text, replyToId: replyToId?.toLowerCase(), extras, check: () => requireStreamsLeft(tx) })
}

/** With the application locked, so that requests at the same time don't exceed the limit together. */
async function requireStreamsLeft(tx: Tx): Promise<void> {
  const { id } = memberOf(tx.actor)
  await tx.db.selectFrom('applications').select('id').where('bot_id', '=', id).forNoKeyUpdate().execute()
  const { count } = await tx.db
    .selectFrom('message_streams')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('bot_id', '=', id)
    .executeTakeFirstOrThrow()
  if (count < STREAM_LIMITS.atOnce) return
  const { message, reason } = REFUSALS.tooManyStreams
  throw cannot(message, reason)
}
