import { sql, type Kysely } from 'kysely'
import { deleteInBatches, type Sweep } from '../db/delete-in-batches.ts'
import type { Tables } from '../db/tables.ts'
import { newId } from '../operations/ids.ts'
import { Refusal } from '../operations/refusal.ts'
import type { Services } from '../operations/services.ts'

/** Small, because other uploads wait: each deletion changes what is used. */
const BATCH = 100
/** What a file takes on a disk at least, so that many tiny ones count as well. */
const BLOCK = 4096

export const MEBIBYTE = 1024 ** 2

export interface Reservation {
  readonly id: string
  readonly roomId: string
  readonly uploaderId: string
  readonly name: string
  readonly size: number
}

/** What a file of this size takes of the quota. */
export function storedBytes(size: number): number {
  return Math.ceil(size / BLOCK) * BLOCK
}

/** Takes the file's share of the storage before its content arrives. Refuses if that is more than is left. */
export async function reserveUpload(
  { database: { kysely }, config }: Pick<Services, 'database' | 'config'>,
  { roomId, uploaderId, name, size }: Omit<Reservation, 'id'>,
): Promise<Reservation> {
  const id = newId()
  const stored = storedBytes(size)
  // The row is locked, so that the next one sees what this one has taken.
  const { numAffectedRows } = await sql`
    INSERT INTO uploads (id, room_id, uploader_id, name, size, stored_bytes)
    SELECT ${id}::uuid, ${roomId}::uuid, ${uploaderId}::uuid, ${name}, ${size}::bigint, ${stored}::bigint
    FROM upload_usage WHERE bytes + ${stored}::bigint <= ${quotaBytes(config)}::bigint FOR UPDATE`.execute(kysely)
  if (numAffectedRows !== 1n) {
    throw new Refusal('unprocessable', {
      message: 'The portal’s storage for files is full.',
      reason: 'storage_full',
    })
  }
  return { id, roomId, uploaderId, name, size }
}

/** Gives the share back. What was stored expires by itself. */
export async function releaseUpload({ database }: Pick<Services, 'database'>, id: string): Promise<void> {
  await database.kysely.deleteFrom('uploads').where('id', '=', id).where('file', 'is', null).execute()
}

/** Deletes uploads that no message refers to, for a day or never. Their files expire with them. */
export async function sweepUploads(sweep: Sweep): Promise<void> {
  await deleteInBatches(sweep, 'uploads', sql`expires_at <= now()`, BATCH)
}

/** Lets a person's unsent files expire; sent ones stay with their messages. */
export async function dropUnsentUploads(db: Kysely<Tables>, uploaderId: string): Promise<void> {
  await db
    .updateTable('uploads')
    .set({ expires_at: sql<string>`now()` })
    .where('uploader_id', '=', uploaderId)
    .where('expires_at', 'is not', null)
    .execute()
}

/** The limits for uploads, and what is left of the storage. */
export async function fileLimits(
  db: Kysely<Tables>,
  config: Services['config'],
): Promise<{ maxBytes: number; freeBytes: number }> {
  const { bytes } = await db.selectFrom('upload_usage').select('bytes').executeTakeFirstOrThrow()
  return { maxBytes: maxBytes(config), freeBytes: Math.max(0, quotaBytes(config) - bytes) }
}

export function maxBytes({ FILE_MAX_MB }: Pick<Services['config'], 'FILE_MAX_MB'>): number {
  return FILE_MAX_MB * MEBIBYTE
}

function quotaBytes({ FILES_QUOTA_GB }: Pick<Services['config'], 'FILES_QUOTA_GB'>): number {
  return FILES_QUOTA_GB * 1024 * MEBIBYTE
}
