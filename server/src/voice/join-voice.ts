import type { Input, VoiceSession } from '@portico/contract'
import type * as api from '@portico/contract'
import { noteVoiceTried } from '../accounts/instance.ts'
import { authorOf } from '../operations/actor.ts'
import type { RoomPlace } from '../operations/authorize.ts'
import type { Services } from '../operations/services.ts'
import type { Tx } from '../operations/transaction.ts'
import { PUBLISHING } from './publishing.ts'
import { endVoiceSession, enterRoom, roomOfMember } from './voice-session.ts'

export async function joinVoice(
  tx: Tx,
  _input: Input<typeof api.joinVoice>,
  room: RoomPlace,
  { media }: Pick<Services, 'media'>,
): Promise<VoiceSession> {
  const { id, name } = authorOf(tx.actor)
  const shownName = room.nickname ?? name
  const left = await enterRoom(tx, room, { id, shownName })
  if (left !== undefined) tx.afterCommit(() => media.remove(left, id))
  if (tx.actor.kind === 'person') noteVoiceTried(tx)

  const session = {
    roomId: room.roomId,
    identity: id,
    name: shownName,
    // Without media there is nothing to publish to.
    canPublish: media.kind !== 'off' && room.rights.has(PUBLISHING[room.roomType]),
  }
  const { roomId, identity, canPublish } = session
  const url = tx.actor.kind === 'person' ? media.pageUrl : media.url
  return { roomId, token: await media.mint(session), url, canPublish, identity }
}

export async function leaveVoice(tx: Tx, _input: Input<typeof api.leaveVoice>, room: RoomPlace): Promise<null> {
  const { id } = authorOf(tx.actor)
  if ((await roomOfMember(tx, room.channelId, id))?.roomId === room.roomId)
    await endVoiceSession(tx, room.channelId, id)
  return null
}
