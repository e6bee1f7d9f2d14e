import type { Input, Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { memberOf } from '../operations/actor.ts'
import type { RoomPlace } from '../operations/authorize.ts'
import type { Tx } from '../operations/transaction.ts'
import { refusal } from './append-to-message.ts'
import { endStream, type StreamEnd } from './end-stream.ts'
import { streamingState } from './message-streams-sql.ts'
import { notYourMessage, ownMessage } from './own-message.ts'

/** Ending it again in the same way changes nothing. */
export async function finishMessage(
  tx: Tx,
  { messageId, position, interrupted = false }: Input<typeof api.finishMessage>,
  room: RoomPlace,
): Promise<Output<typeof api.finishMessage>> {
  const id = messageId.toLowerCase()
  const author = memberOf(tx.actor)
  const end: StreamEnd = interrupted ? 'interrupted' : 'finished'
  const own = await ownMessage(tx, room, id).select(['text', 'streaming']).executeTakeFirst()
  if (!own) throw notYourMessage()
  if (own.streaming !== 'writing' && own.streaming !== end) throw refusal('streamEnded')
  const requirePosition = (text: string): void => {
    if (position !== undefined && [...text].length !== position) throw refusal('wrongPosition')
  }
  const streaming = streamingState(end)
  if (own.streaming === 'writing') {
    const ended = await endStream(tx, { id, author, room, end, check: requirePosition })
    if (ended === undefined) throw refusal('streamEnded')
    return { id, text: ended, ...(streaming && { streaming }) }
  }
  requirePosition(own.text)
  return { id, text: own.text, ...(streaming && { streaming }) }
}
