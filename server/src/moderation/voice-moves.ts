import type { Input, Output } from '@portico/contract'
import type * as api from '@portico/contract'
import type { ChannelPlace, RoomPlace } from '../members/access.ts'
import { loadMemberBelow } from '../members/load-member.ts'
import { cannot } from '../refusal.ts'
import type { Tx } from '../transaction.ts'
import { endStay, enterRoom, roomOfMember } from '../voice/stay.ts'

export async function disconnectMember(
  tx: Tx,
  input: Input<typeof api.disconnectMember>,
  channel: ChannelPlace,
): Promise<null> {
  const { channelId } = channel
  const member = await loadMemberBelow(tx, channel, input.userId)
  const roomId = await endStay(tx, channelId, member.id)
  if (roomId === undefined) throw notInVoice()
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
  if (!(await roomOfMember(tx, channelId, member.id))) throw notInVoice()

  const from = await enterRoom(tx, room, { id: member.id, shownName: member.nickname ?? member.name })
  if (from !== undefined) {
    tx.afterCommit(() => tx.parts.media.move(member.id, from, roomId))
    const details = { fromRoomId: from, toRoomId: roomId }
    tx.audit({ action: 'member.moved', channelId, target: member, reason: input.reason, details })
  }
  return { userId: member.id, roomId }
}

function notInVoice(): Error {
  return cannot('The member is not in a voice room of this channel.', 'not_in_voice')
}
