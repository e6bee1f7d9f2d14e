import type { Input, RoomPermissions } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import { authorOf } from '../operations/actor.ts'
import type { RoomPlace } from '../operations/authorize.ts'
import type { Tx } from '../operations/transaction.ts'

export async function getRoomPermissions(
  tx: Tx,
  _input: Input<typeof api.getRoomPermissions>,
  room: RoomPlace,
): Promise<RoomPermissions> {
  const member = await tx.db
    .selectFrom('members')
    .select(['chat_muted_until', 'voice_muted_until'])
    .select(sql<boolean>`chat_muted AND (chat_muted_until IS NULL OR chat_muted_until > now())`.as('chatMuted'))
    .select(sql<boolean>`voice_muted AND (voice_muted_until IS NULL OR voice_muted_until > now())`.as('voiceMuted'))
    .where('channel_id', '=', room.channelId)
    .where('account_id', '=', authorOf(tx.actor).id)
    .executeTakeFirst()
  return {
    rights: [...room.rights],
    chatMute: member?.chatMuted ? { until: member.chat_muted_until } : null,
    voiceMute: member?.voiceMuted ? { until: member.voice_muted_until } : null,
  }
}
