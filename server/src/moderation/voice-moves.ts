import type { Input, Output } from '@portico/contract'
import type * as api from '@portico/contract'
import type { ChannelPlace } from '../members/access.ts'
import { loadMemberBelow } from '../members/load-member.ts'
import { cannot } from '../refusal.ts'
import type { Tx } from '../transaction.ts'
import { visibleRoom } from '../rooms/visible-room.ts'
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
  tx.afterCommit(() => tx.parts.media.remove(roomId, member.id))
  tx.audit({ action: 'member.disconnected', channelId, target: member, reason: input.reason, details: { roomId } })
  return null
}

export async function moveMember(
  tx: Tx,
  input: Input<typeof api.moveMember>,
  channel: ChannelPlace,
): Promise<Output<typeof api.moveMember>> {
  const { channelId } = channel
  const member = await loadMemberBelow(tx, channel, input.userId)
  const room = await visibleRoom(tx, channel, input.roomId)
  if (room.type !== 'voice') throw cannot('The room is not a voice room.', 'wrong_room_type')
  const from = await roomOfMember(tx, channelId, member.id)
  if (from === undefined) throw notInVoice()

  if (from !== room.id) {
    await enterRoom(
      tx,
      { channelId, roomId: room.id, userLimit: room.userLimit },
      { id: member.id, shownName: member.nickname ?? member.name },
    )
    tx.afterCommit(() => tx.parts.media.move(member.id, from, room.id))
    const details = { fromRoomId: from, toRoomId: room.id }
    tx.audit({ action: 'member.moved', channelId, target: member, reason: input.reason, details })
  }
  return { userId: member.id, roomId: room.id }
}

function notInVoice(): Error {
  return cannot('The member is not in a voice room of this channel.', 'not_in_voice')
}
