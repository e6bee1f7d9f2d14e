import { sql, type Kysely } from 'kysely'
import { hashSecret, isWellFormedSecret, STREAM_KEY_PREFIX } from '../secrets/generated-secret.ts'
import type { Tables } from '../db/tables.ts'
import type { Program } from '../operations/actor.ts'
import { missingRight } from '../operations/access-refusals.ts'
import { authorize, type RoomPlace } from '../operations/authorize.ts'
import type { Services } from '../operations/services.ts'
import { run } from '../operations/transaction.ts'
import type { MediaSession } from './media.ts'
import { enterRoom } from './voice-session.ts'

/** What a stream key stands for: one person in one stream room. */
export interface Broadcaster extends Program {
  readonly channelId: string
  readonly roomId: string
  readonly keyHash: Buffer
}

/** Undefined for a key that is wrong, was re-issued or revoked, or whose person is disabled. */
export async function findBroadcaster(db: Kysely<Tables>, key: string): Promise<Broadcaster | undefined> {
  if (!isWellFormedSecret(key, STREAM_KEY_PREFIX)) return undefined
  const keyHash = hashSecret(key)
  const row = await db
    .selectFrom('stream_keys as k')
    .innerJoin('accounts as a', 'a.id', 'k.account_id')
    .select(['a.id', 'a.name', 'k.channel_id as channelId', 'k.room_id as roomId'])
    .where('k.key_hash', '=', keyHash)
    .where('a.disabled_at', 'is', null)
    .executeTakeFirst()
  return row && { kind: 'program', ...row, keyHash }
}

/** Moves a person into the room of their stream key, if they may broadcast there now; refuses otherwise. */
export async function enterToBroadcast(services: Services, broadcaster: Broadcaster): Promise<MediaSession> {
  const { id, name, roomId, keyHash } = broadcaster
  let room: RoomPlace | undefined
  const judge = async (): Promise<void> => {
    room = await mayBroadcast(services, broadcaster)
  }
  const { result } = await run(
    services,
    broadcaster,
    async (tx) => {
      if (!room) throw new Error('the room was not authorized')
      const shownName = room.nickname ?? name
      const left = await enterRoom(tx, room, { id, shownName })
      if (left !== undefined) tx.afterCommit(({ media }) => media.remove(left, id))
      tx.queue(
        tx.db
          .updateTable('stream_keys')
          .set({ last_used_at: sql`now()` })
          .where('key_hash', '=', keyHash),
      )
      return { roomId, identity: id, name: shownName, canPublish: true }
    },
    { before: judge },
  )
  return result
}

async function mayBroadcast(services: Services, broadcaster: Broadcaster): Promise<RoomPlace> {
  const place = await authorize(services, broadcaster, broadcaster, { room: ['stream'], right: 'start_broadcast' })
  if (!place.rights.has('join_voice_room')) throw missingRight('join_voice_room')
  return place as RoomPlace
}
