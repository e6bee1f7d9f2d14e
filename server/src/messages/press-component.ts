import { componentPressed, type Component, type Input, type Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { authorOf } from '../operations/actor.ts'
import type { RoomPlace } from '../operations/authorize.ts'
import { newId } from '../operations/ids.ts'
import { cannot } from '../operations/refusal.ts'
import type { Tx } from '../operations/transaction.ts'
import { readsRoom } from '../rooms/reads-room.ts'

/** The press is an event for the application that wrote the message, and for nobody else. */
export async function pressComponent(
  tx: Tx,
  { messageId, componentId, value }: Input<typeof api.pressComponent>,
  room: RoomPlace,
): Promise<Output<typeof api.pressComponent>> {
  const { roomId } = room
  const message = await tx.db
    .selectFrom('messages')
    .select(['id', 'author_id as authorId', 'components'])
    .where('id', '=', messageId)
    .where('room_id', '=', roomId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  const components = (message?.components ?? []) as unknown as Component[]
  const component = components.find(({ id }) => id === componentId)
  if (!message || !component || !isChoice(component, value)) throw gone()
  // Removed from the channel or the room, it would learn of a press that nobody can answer.
  if (!(await readsRoom(tx, message.authorId, room))) throw gone()

  const pressId = newId()
  const chosen = value === undefined ? {} : { value }
  const data = { roomId, messageId: message.id, componentId, ...chosen, pressId, user: authorOf(tx.actor) }
  tx.emit(componentPressed, room, data, { onlyFor: message.authorId })
  return { id: pressId }
}

function isChoice({ type, options = [] }: Component, value: string | undefined): boolean {
  return type === 'button' ? value === undefined : options.some((option) => option.value === value)
}

function gone(): Error {
  return cannot('The message has no such button or option anymore, or its bot has left.', 'no_such_component')
}
