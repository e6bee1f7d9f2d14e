import type { Input, Output, StreamKey } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import { hashSecret, newSecret, STREAM_KEY_PREFIX } from '../secrets/generated-secret.ts'
import { authorOf } from '../operations/actor.ts'
import { missingRight } from '../operations/access-refusals.ts'
import type { RoomPlace } from '../operations/authorize.ts'
import { cannot } from '../operations/refusal.ts'
import type { Services } from '../operations/services.ts'
import type { Tx } from '../operations/transaction.ts'
import { endBroadcast } from './end-broadcast.ts'

export async function getStreamKey(
  tx: Tx,
  _input: Input<typeof api.getStreamKey>,
  { roomId }: RoomPlace,
  { media }: Pick<Services, 'media'>,
): Promise<StreamKey> {
  const key = await tx.db
    .selectFrom('stream_keys')
    .select(['hint', 'issued_at as issuedAt', 'last_used_at as lastUsedAt'])
    .where('account_id', '=', authorOf(tx.actor).id)
    .where('room_id', '=', roomId)
    .executeTakeFirst()
  return { url: media.kind === 'embedded' ? media.programs.url : null, key: key ?? null }
}

/** A new key replaces the old one atomically, and ends its broadcast. */
export async function issueStreamKey(
  tx: Tx,
  _input: Input<typeof api.issueStreamKey>,
  room: RoomPlace,
  { media }: Pick<Services, 'media'>,
): Promise<Output<typeof api.issueStreamKey>> {
  const { channelId, roomId } = room
  const { id } = authorOf(tx.actor)
  if (!room.rights.has('join_voice_room')) throw missingRight('join_voice_room')
  if (media.kind !== 'embedded') throw cannot('This room doesn’t accept broadcasts from OBS or other programs.')
  const key = newSecret(STREAM_KEY_PREFIX)
  const issuedAt = new Date().toISOString()
  const row = {
    key_hash: hashSecret(key),
    hint: key.slice(0, STREAM_KEY_PREFIX.length + 4),
    issued_at: issuedAt,
    last_used_at: null,
  }
  const { replaced } = await tx.db
    .insertInto('stream_keys')
    .values({ channel_id: channelId, account_id: id, room_id: roomId, ...row })
    .onConflict((conflict) => conflict.columns(['account_id', 'room_id']).doUpdateSet(row))
    .returning(sql<boolean>`xmax <> 0`.as('replaced'))
    .executeTakeFirstOrThrow()
  if (replaced) tx.afterCommit((services) => endBroadcast(services, roomId, id))
  noteKey(tx, replaced ? 'room.stream_key_reissued' : 'room.stream_key_issued', room)
  return { key, issuedAt }
}

export async function revokeStreamKey(
  tx: Tx,
  _input: Input<typeof api.revokeStreamKey>,
  room: RoomPlace,
): Promise<null> {
  const { roomId } = room
  const { id } = authorOf(tx.actor)
  const { numDeletedRows } = await tx.db
    .deleteFrom('stream_keys')
    .where('account_id', '=', id)
    .where('room_id', '=', roomId)
    .executeTakeFirst()
  if (numDeletedRows === 0n) return null
  tx.afterCommit((services) => endBroadcast(services, roomId, id))
  noteKey(tx, 'room.stream_key_revoked', room)
  return null
}

function noteKey(tx: Tx, action: string, { channelId, roomId, roomName }: RoomPlace): void {
  tx.audit({ action, channelId, target: { id: roomId, name: roomName } })
}
