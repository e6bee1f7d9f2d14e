import { authorOf } from '../operations/actor.ts'
import type { RoomPlace } from '../operations/authorize.ts'
import { Refusal } from '../operations/refusal.ts'
import type { Tx } from '../operations/transaction.ts'

/** A message of the actor in a room, which is locked; the caller selects what it needs. */
export function ownMessage({ db, actor }: Tx, { roomId }: RoomPlace, messageId: string) {
  return db
    .selectFrom('messages')
    .where('id', '=', messageId)
    .where('room_id', '=', roomId)
    .where('author_id', '=', authorOf(actor).id)
    .where('deleted_at', 'is', null)
    .forUpdate()
}

/** The same answer for someone else's, deleted and unknown messages, so that ids can't be probed. */
export function notYourMessage(): Refusal {
  return new Refusal('forbidden', {
    message: 'You have no such message in this room.',
    reason: 'not_your_message',
  })
}
