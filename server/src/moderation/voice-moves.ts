import { REFUSALS, type Input, type Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { memberOf } from '../operations/actor.ts'
import type { ChannelPlace, RoomPlace } from '../operations/authorize.ts'
import { loadMemberBelow, type OtherMember } from '../members/load-member.ts'
import { cannot } from '../operations/refusal.ts'
import { seesRoom } from '../rooms/sees-room.ts'
import type { Tx } from '../operations/transaction.ts'
import { endVoiceSession, enterRoom, roomOfMember } from '../voice/voice-session.ts'

export async function disconnectMember(
  tx: Tx,
  input: Input<typeof api.disconnectMember>,
  channel: ChannelPlace,
): Promise<null> {
  const { channelId } = channel
  const member = await loadMemberBelow(tx, channel, input.userId)
  const roomId = await requireVoiceRoom(tx, channelId, member)
  await endVoiceSession(tx, channelId, member.id)
  tx.audit({ action: 'member.disconnected', channelId, target: member, reason: input.reason, details: { roomId } })
  return null
}

export async function moveMember(
  tx: Tx,
  input: Input<typeof api.moveMember>,
  room: RoomPlace,
): Promise<Output<typeof api.moveMember>> {
  const { channelId, roomId } = room
  const member = await loadMemberBelow(tx, room, input.userId)
  await requireVoiceRoom(tx, channelId, member)
  if (!(await seesRoom(tx, member.id, channelId, roomId))) throw refused('memberNotAdmitted')

  const from = await enterRoom(tx, room, { id: member.id, shownName: member.nickname ?? member.name })
  if (from !== undefined) {
    tx.afterCommit(({ media }) => media.move(member.id, from, roomId))
    const details = { fromRoomId: from, toRoomId: roomId }
    tx.audit({ action: 'member.moved', channelId, target: member, reason: input.reason, details })
  }
  return { userId: member.id, roomId }
}

/**
 * The member's voice room, if the actor may know it: a member in a private room that the actor can't see counts as outside
 * voice. Stream rooms are not voice rooms.
 */
async function requireVoiceRoom(tx: Tx, channelId: string, member: OtherMember): Promise<string> {
  const room = await roomOfMember(tx, channelId, member.id)
  if (room?.roomType !== 'voice') throw refused('notInVoice')
  if (!(await seesRoom(tx, memberOf(tx.actor).id, channelId, room.roomId))) throw refused('notInVoice')
  return room.roomId
}

function refused(name: 'notInVoice' | 'memberNotAdmitted'): Error {
  const { message, reason } = REFUSALS[name]
  return cannot(message, reason)
}
