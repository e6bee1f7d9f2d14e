import { noticeShown, REFUSALS, textsOfCards, type Input, type Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { publishToPerson } from '../events/ephemeral.ts'
import { loadMember } from '../members/load-member.ts'
import { mentionedIn, mentionedInCards, namesIn } from '../messages/mentions.ts'
import { speakerOf } from '../messages/send-message.ts'
import { authorOf } from '../operations/actor.ts'
import type { RoomPlace } from '../operations/authorize.ts'
import { newId } from '../operations/ids.ts'
import { publishNow } from '../operations/publish-now.ts'
import { cannot } from '../operations/refusal.ts'
import type { Services } from '../operations/services.ts'
import type { Tx } from '../operations/transaction.ts'
import { readsRoom } from '../rooms/reads-room.ts'
import { componentProof } from './component-proof.ts'

/** Writes nothing: those portals get the notice that are open now. */
export async function showNotice(
  tx: Tx,
  { userId, text, cards = [], components = [], noticeId }: Input<typeof api.showNotice>,
  room: RoomPlace,
  { bus, secret }: Pick<Services, 'bus' | 'secret'>,
): Promise<Output<typeof api.showNotice>> {
  const { channelId, roomId } = room
  const [member, canRead, names] = await Promise.all([
    loadMember(tx, channelId, userId),
    readsRoom(tx, userId, room),
    namesIn(tx, channelId, [text, ...textsOfCards(cards)]),
  ])
  if (member.isBot || !canRead) {
    const { message, reason } = REFUSALS.memberCannotRead
    throw cannot(message, reason)
  }
  await tx.charge()
  const id = noticeId?.toLowerCase() ?? newId()
  const shown = { noticeId: id, roomId, botId: authorOf(tx.actor).id, userId: member.id, components }
  const notice = {
    id,
    text,
    createdAt: new Date().toISOString(),
    author: speakerOf(tx, room),
    mentions: mentionedIn(text, names),
    ...(cards.length > 0 && { cards }),
    ...mentionedInCards(cards, names),
    ...(components.length > 0 && { components, proof: componentProof(secret, shown) }),
  }
  await publishNow(publishToPerson(bus, member.id, noticeShown, channelId, { roomId, notice }))
  return { id: notice.id }
}
