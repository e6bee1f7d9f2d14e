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
  if (!message) throw noSuchComponent()
  const components = (message.components ?? []) as unknown as Component[]
  return emitPress(tx, room, { components, componentId, value, botId: message.authorId, of: { messageId: message.id } })
}

interface Pressed {
  /** Those from which the person chose. */
  readonly components: readonly Component[]
  readonly componentId: string
  readonly value: string | undefined
  readonly botId: string
  readonly of: { readonly messageId: string } | { readonly noticeId: string }
}

/** Tells a bot of a press, if there is such a component. */
export async function emitPress(
  tx: Tx,
  room: RoomPlace,
  { components, componentId, value, botId, of }: Pressed,
): Promise<{ id: string }> {
  const component = components.find(({ id }) => id === componentId)
  if (!component || !isChoice(component, value)) throw noSuchComponent()
  // Removed from the channel or the room, it would learn of a press that nobody can answer.
  if (!(await readsRoom(tx, botId, room))) throw noSuchComponent()

  const pressId = newId()
  const chosen = value === undefined ? {} : { value }
  const data = { roomId: room.roomId, ...of, componentId, ...chosen, pressId, user: authorOf(tx.actor) }
  tx.emit(componentPressed, room, data, { onlyFor: botId })
  return { id: pressId }
}

function isChoice({ type, options = [] }: Component, value: string | undefined): boolean {
  return type === 'button' ? value === undefined : options.some((option) => option.value === value)
}

export function noSuchComponent(): Error {
  return cannot('There is no such button or option anymore, or its bot has left.', 'no_such_component')
}
