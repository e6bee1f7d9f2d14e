import type { Input, Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { emitPress, noSuchComponent } from '../messages/press-component.ts'
import { authorOf } from '../operations/actor.ts'
import type { RoomPlace } from '../operations/authorize.ts'
import type { Services } from '../operations/services.ts'
import type { Tx } from '../operations/transaction.ts'
import { proves } from './component-proof.ts'

export async function pressInNotice(
  tx: Tx,
  { noticeId, botId, components, proof, componentId, value }: Input<typeof api.pressInNotice>,
  room: RoomPlace,
  { secret }: Pick<Services, 'secret'>,
): Promise<Output<typeof api.pressInNotice>> {
  const shown = { noticeId, roomId: room.roomId, botId, userId: authorOf(tx.actor).id, components }
  if (!proves(proof, secret, shown)) throw noSuchComponent()
  return emitPress(tx, room, { components, componentId, value, botId, of: { noticeId } })
}
