import { FILES_PATH } from '@portico/contract'
import { sql } from 'kysely'
import type { RoomPlace } from '../operations/authorize.ts'
import type { Tx } from '../operations/transaction.ts'

/**
 * SQL for the statement of new messages, whose change has the columns `author_id` and `files`. A message gives access only to
 * files that its author has uploaded to the same room.
 */
export const INSERT_MESSAGE_FILES = `
  INSERT INTO message_files (message_id, upload_id)
  SELECT appended.id, u.id FROM appended JOIN uploads u ON u.id = ANY (appended.files::uuid[])
  WHERE u.room_id = appended.room_id AND u.uploader_id = appended.author_id
    AND u.file IS NOT NULL AND (u.expires_at IS NULL OR u.expires_at > now())`

/** Locks the files that a new message refers to, before the log of its channel. */
export function lockFiles(column: (name: string) => string): string {
  return `SELECT FROM uploads WHERE id = ANY (${column('files')}::uuid[]) AND uploader_id = ${column('author_id')}
    ORDER BY id FOR NO KEY UPDATE`
}

/** SQL for whether a message may refer to files, for `changeFiles`. */
export const mayHaveFiles = sql<boolean>`(position(${sql.lit(FILES_PATH)} in text) > 0 OR cards IS NOT NULL)`

/** Sets which files a message refers to when it is edited, or deleted and refers to none. */
export function changeFiles(
  tx: Tx,
  { roomId }: Pick<RoomPlace, 'roomId'>,
  message: { id: string; authorId: string; files: readonly string[] },
): void {
  const { id, authorId, files } = message
  tx.queue(sql`
    SELECT FROM uploads
    WHERE id = ANY (${files}::uuid[]) OR id IN (SELECT upload_id FROM message_files WHERE message_id = ${id}::uuid)
    ORDER BY id FOR NO KEY UPDATE`)
  tx.queue(sql`
    DELETE FROM message_files WHERE message_id = ${id}::uuid AND upload_id <> ALL (${files}::uuid[])`)
  if (files.length === 0) return
  tx.queue(sql`
    INSERT INTO message_files (message_id, upload_id)
    SELECT ${id}::uuid, id FROM uploads
    WHERE id = ANY (${files}::uuid[]) AND room_id = ${roomId}::uuid AND uploader_id = ${authorId}::uuid
      AND file IS NOT NULL AND (expires_at IS NULL OR expires_at > now())
    ON CONFLICT DO NOTHING`)
}
