import { listMessages } from '@portico/contract'
import { sql } from 'kysely'
import type { Actor } from '../operations/actor.ts'
import { authorize } from '../operations/authorize.ts'
import { Refusal } from '../operations/refusal.ts'
import type { Services } from '../operations/services.ts'

export interface FoundUpload {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly size: number
  /** The name of the stored file. */
  readonly file: string
  readonly preview: string | null
}

interface Row extends FoundUpload {
  readonly roomId: string
  readonly uploaderId: string
  readonly isSent: boolean
  readonly isUnsent: boolean
}

/**
 * A file that the actor may fetch: readers of the room once a message refers to it, until then only the uploader. Otherwise
 * it doesn't exist for them, so that ids can't be probed.
 */
export async function findUpload(services: Pick<Services, 'database'>, actor: Actor, id: string): Promise<FoundUpload> {
  const row = await readUpload(services, id)
  if (!row || !(row.isSent ? await mayRead(services, actor, row.roomId) : isOwn(actor, row))) {
    throw new Refusal('notFound')
  }
  return row
}

async function readUpload({ database }: Pick<Services, 'database'>, id: string): Promise<Row | undefined> {
  const { rows } = await sql<Row>`
    SELECT u.id, u.name, u.type, u.size, u.file, u.preview, u.room_id AS "roomId", u.uploader_id AS "uploaderId",
      EXISTS (
        SELECT FROM message_files f JOIN messages m ON m.id = f.message_id
        WHERE f.upload_id = u.id AND m.deleted_at IS NULL
      ) AS "isSent",
      NOT u.was_sent AND u.expires_at > now() AS "isUnsent"
    FROM uploads u WHERE u.id = ${id}::uuid AND u.file IS NOT NULL`.execute(database.kysely)
  return rows[0]
}

function isOwn(actor: Actor, { uploaderId, isUnsent }: Row): boolean {
  return isUnsent && 'id' in actor && actor.id === uploaderId
}

async function mayRead(services: Pick<Services, 'database'>, actor: Actor, roomId: string): Promise<boolean> {
  try {
    await authorize(services, actor, { roomId }, listMessages.access)
    return true
  } catch (error) {
    if (error instanceof Refusal) return false
    throw error
  }
}
