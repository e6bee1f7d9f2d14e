import type { Input, UploadedFile } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import { useFile } from '../files/stored-files.ts'
import { authorOf } from '../operations/actor.ts'
import { cannot } from '../operations/refusal.ts'
import type { RoomPlace } from '../operations/authorize.ts'
import type { ReceivedFile } from '../operations/perform.ts'
import type { Tx } from '../operations/transaction.ts'
import { fileUrl } from './file-url.ts'

/** Completes an upload whose content is stored. Only the uploader can fetch the file until a message refers to it. */
export async function uploadFile(
  tx: Tx,
  { file: received }: Input<typeof api.uploadFile> & { readonly file: ReceivedFile },
  { roomId }: RoomPlace,
): Promise<UploadedFile> {
  const { id, type, file, preview = null, width = null, height = null, storedBytes } = received
  await useFile(tx.db, file)
  if (preview !== null) await useFile(tx.db, preview)
  const upload = await tx.db
    .updateTable('uploads')
    .set({ type, file, preview, width, height, stored_bytes: storedBytes })
    .set({ expires_at: sql<string>`now() + interval '1 day'` })
    .where('id', '=', id)
    .where('room_id', '=', roomId)
    .where('uploader_id', '=', authorOf(tx.actor).id)
    .returning(['id', 'name', 'size', 'width', 'height'])
    .executeTakeFirst()
  if (!upload) throw cannot('The upload took too long; send the file again.', 'upload_stalled')
  const { name, size } = upload
  return { id, name, type, size, ...(width !== null && height !== null && { width, height }), ...fileUrl(upload) }
}
