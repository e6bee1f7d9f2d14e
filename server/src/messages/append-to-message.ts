import { LIMITS, REFUSALS, api, type Input, type Output } from '@portico/contract'
import { memberOf, type Actor } from '../operations/actor.ts'
import { authorize, type RoomPlace } from '../operations/authorize.ts'
import type { OwnTransactions } from '../operations/perform.ts'
import { cannot, type Refusal } from '../operations/refusal.ts'
import type { Services } from '../operations/services.ts'
import { notYourMessage } from './own-message.ts'

/** The appends of all requests at the same time are one statement, which needs no transaction of its own for each. */
export const appendToMessage: OwnTransactions<typeof api.appendToMessage> = {
  ownTransactions: async (services, actor, input) => {
    const room = (await authorize(services, actor, input, api.appendToMessage.access)) as RoomPlace
    return { result: await append(services, actor, input, room) }
  },
}

async function append(
  { messageStreams, database }: Services,
  actor: Actor,
  { messageId, position, text }: Input<typeof api.appendToMessage>,
  { roomId }: RoomPlace,
): Promise<Output<typeof api.appendToMessage>> {
  const id = messageId.toLowerCase()
  const botId = memberOf(actor).id
  const appended = await messageStreams.append({ messageId: id, roomId, botId, position, text })
  if (!appended) throw await whyEnded(database, { id, roomId, botId })
  if (!appended.fits) throw refusal('wrongPosition')
  if (appended.after > LIMITS.messageText) throw refusal('messageTooLong')
  return { id, position: appended.after }
}

/** A message that is no longer written, or none of the bot. */
async function whyEnded(
  { kysely }: Services['database'],
  { id, roomId, botId }: { readonly id: string; readonly roomId: string; readonly botId: string },
): Promise<Refusal> {
  const own = await kysely
    .selectFrom('messages')
    .select('id')
    .where('id', '=', id)
    .where('room_id', '=', roomId)
    .where('author_id', '=', botId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return own ? refusal('streamEnded') : notYourMessage()
}

export function refusal(name: 'wrongPosition' | 'messageTooLong' | 'streamEnded'): Refusal {
  const { message, reason } = REFUSALS[name]
  return cannot(message, reason)
}
