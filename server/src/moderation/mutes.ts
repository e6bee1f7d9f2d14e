import { rightsOf, type Input, type Output, type RightsOverride } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import type { ChannelPlace } from '../operations/authorize.ts'
import { loadMemberBelow, type OtherMember } from '../members/load-member.ts'
import { setMute } from '../members/set-mute.ts'
import type { Tx } from '../operations/transaction.ts'
import { PUBLISHING } from '../voice/publishing.ts'
import { roomOfMember, type OccupiedRoom } from '../voice/voice-session.ts'

type Muting = Input<typeof api.muteChat>
type Unmuting = Input<typeof api.unmuteChat>
type Muted = Output<typeof api.muteChat>

export async function muteChat(tx: Tx, input: Muting, channel: ChannelPlace): Promise<Muted> {
  const { member, mutedUntil } = await mute(tx, input, channel, 'chat')
  return { userId: member.id, mutedUntil }
}

export async function unmuteChat(tx: Tx, input: Unmuting, channel: ChannelPlace): Promise<null> {
  await unmute(tx, input, channel, 'chat')
  return null
}

export async function muteVoice(tx: Tx, input: Muting, channel: ChannelPlace): Promise<Muted> {
  const { member, mutedUntil } = await mute(tx, input, channel, 'voice')
  await updateMedia(tx, channel, member, { muted: true })
  return { userId: member.id, mutedUntil }
}

export async function unmuteVoice(tx: Tx, input: Unmuting, channel: ChannelPlace): Promise<null> {
  const member = await unmute(tx, input, channel, 'voice')
  await updateMedia(tx, channel, member, { muted: false })
  return null
}

type Place = 'chat' | 'voice'

async function mute(tx: Tx, input: Muting, channel: ChannelPlace, place: Place) {
  const member = await loadMemberBelow(tx, channel, input.userId)
  const { durationSec, reason } = input
  const mutedUntil = durationSec === undefined ? null : new Date(Date.now() + durationSec * 1000).toISOString()
  await setMute(tx, channel.channelId, member.id, { kind: place, muted: true, until: mutedUntil, reason })
  tx.audit({
    action: `member.${place}_muted`,
    channelId: channel.channelId,
    target: member,
    reason,
    details: { mutedUntil },
  })
  return { member, mutedUntil }
}

async function unmute(tx: Tx, input: Unmuting, channel: ChannelPlace, place: Place) {
  const member = await loadMemberBelow(tx, channel, input.userId)
  const lifted = await setMute(tx, channel.channelId, member.id, { kind: place, muted: false, until: null })
  if (lifted) {
    tx.audit({ action: `member.${place}_unmuted`, channelId: channel.channelId, target: member, reason: input.reason })
  }
  return member
}

async function updateMedia(
  tx: Tx,
  channel: ChannelPlace,
  member: OtherMember,
  { muted }: { muted: boolean },
): Promise<void> {
  const room = await roomOfMember(tx, channel.channelId, member.id)
  if (!room) return
  const canPublish = !muted && (await mayPublish(tx, channel, member, room))
  const session = { roomId: room.roomId, identity: member.id, canPublish }
  tx.afterCommit(({ media }) => media.mute(session))
}

/** Unmuting restores what the roles allow in that room, and no more. */
async function mayPublish(
  tx: Tx,
  { ownerId }: ChannelPlace,
  member: OtherMember,
  { roomId, roomType }: OccupiedRoom,
): Promise<boolean> {
  const { rows: overrides } = await sql<RightsOverride>`
    SELECT role_id AS "roleId", allow, deny FROM room_overrides WHERE room_id = ${roomId}::uuid`.execute(tx.db)
  const facts = { isOwner: member.id === ownerId, roles: member.roles, chatMuted: false, voiceMuted: false }
  return rightsOf({ ...facts, overrides }).has(PUBLISHING[roomType])
}
