import { sql, type Kysely } from 'kysely'
import { deleteInBatches, type Sweep } from '../db/delete-in-batches.ts'
import type { Tables } from '../db/tables.ts'
import type { Bot, Person } from '../operations/actor.ts'
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
  /** Whose share of the storage it takes. */
  readonly ownerId: string
  readonly name: string
  readonly size: number
}

/** What a file of this size takes of the quota. */
export function storedBytes(size: number): number {
  return Math.ceil(size / BLOCK) * BLOCK
}

/** Whose shares an upload takes: a person's own, or for a bot those of the owner of its application. */
export async function ownerOf({ database }: Pick<Services, 'database'>, actor: Person | Bot): Promise<string> {
  if (actor.kind === 'person') return actor.id
  const application = database.kysely.selectFrom('applications').select('owner_id')
  return (await application.where('id', '=', actor.applicationId).executeTakeFirst())?.owner_id ?? actor.id
}

/**
 * Takes the file's share of the storage before its content arrives. Refuses if that is more than is left for the person, or
 * for all. Files that no message has referred to for an hour make room.
 */
export async function reserveUpload(
  { database: { kysely }, config }: Pick<Services, 'database' | 'config'>,
  upload: Omit<Reservation, 'id'>,
): Promise<Reservation> {
  const reservation = { id: newId(), ...upload }
  const quotas = { all: quotaBytes(config), person: personQuotaBytes(config) }
  for (;;) {
    if (await takeShare(kysely, reservation, quotas)) return reservation
    const isOwn = await exceedsShare(kysely, reservation, quotas.person)
    const freed = await deleteUnused(kysely, isOwn ? { ownerId: upload.ownerId } : {})
    if (freed === 0n) throw new Refusal('unprocessable', isOwn ? OWN_STORAGE_FULL : STORAGE_FULL)
  }
}

const STORAGE_FULL = { message: 'The portal’s storage for files is full.', reason: 'storage_full' } as const
const OWN_STORAGE_FULL = {
  message:
    'Your files take all the storage that one person has. Delete messages with files that aren’t needed anymore.',
  reason: 'own_storage_full',
} as const

interface Quotas {
  readonly all: number
  readonly person: number
}

async function takeShare(
  db: Kysely<Tables>,
  { id, roomId, uploaderId, ownerId, name, size }: Reservation,
  { all, person }: Quotas,
): Promise<boolean> {
  const stored = storedBytes(size)
  await sql`INSERT INTO upload_shares (owner_id) VALUES (${ownerId}::uuid) ON CONFLICT DO NOTHING`.execute(db)
  // Both rows are locked, so that the next one sees what this one has taken.
  const { numAffectedRows } = await sql`
    INSERT INTO uploads (id, room_id, uploader_id, owner_id, name, size, stored_bytes)
    SELECT ${id}::uuid, ${roomId}::uuid, ${uploaderId}::uuid, ${ownerId}::uuid, ${name}, ${size}::bigint, ${stored}::bigint
    FROM upload_usage u JOIN upload_shares s ON s.owner_id = ${ownerId}::uuid
    WHERE u.bytes + ${stored}::bigint <= ${all}::bigint AND s.bytes + ${stored}::bigint <= ${person}::bigint
    FOR UPDATE`.execute(db)
  return numAffectedRows === 1n
}

async function exceedsShare(db: Kysely<Tables>, { ownerId, size }: Reservation, share: number): Promise<boolean> {
  const used = db.selectFrom('upload_shares').select('bytes').where('owner_id', '=', ownerId)
  return ((await used.executeTakeFirst())?.bytes ?? 0) + storedBytes(size) > share
}

/** Gives the share back. What was stored expires by itself. */
export async function releaseUpload({ database }: Pick<Services, 'database'>, id: string): Promise<void> {
  await database.kysely.deleteFrom('uploads').where('id', '=', id).where('file', 'is', null).execute()
}

/** Deletes uploads that no message refers to, for a day or never. Their files expire with them. */
export async function sweepUploads(sweep: Sweep): Promise<void> {
  await deleteInBatches(sweep, 'uploads', sql`expires_at <= now()`, BATCH)
}

/** Deletes some uploads that no message has referred to for an hour, of one person or of all. Returns how many. */
async function deleteUnused(db: Kysely<Tables>, { ownerId }: { ownerId?: string }): Promise<bigint> {
  // They would expire a day after the upload or the last message. Those that are being received expire earlier.
  const unused = sql`expires_at <= now() + interval '23 hours' AND (file IS NOT NULL OR expires_at <= now())`
  const own = ownerId === undefined ? sql`` : sql`AND coalesce(owner_id, uploader_id) = ${ownerId}::uuid`
  const { numAffectedRows = 0n } = await sql`
    DELETE FROM uploads WHERE id IN (
      SELECT id FROM uploads WHERE ${unused} ${own} ORDER BY expires_at LIMIT ${sql.lit(BATCH)} FOR UPDATE SKIP LOCKED
    )`.execute(db)
  return numAffectedRows
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

function personQuotaBytes(config: Pick<Services['config'], 'FILES_QUOTA_GB' | 'FILES_QUOTA_PERSON_GB'>): number {
  const { FILES_QUOTA_PERSON_GB: share } = config
  return share === null ? Math.floor(quotaBytes(config) / 10) : share * 1024 * MEBIBYTE
}
