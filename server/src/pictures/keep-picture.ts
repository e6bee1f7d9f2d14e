import { useFile } from '../files/stored-files.ts'
import type { Tx } from '../operations/transaction.ts'

export type PictureOwner = { readonly account_id: string } | { readonly channel_id: string }

/** The file name of an uploaded picture below `/media/avatars/`. */
export function pictureFile(id: string): string {
  return `${id}.webp`
}

/** The file name of the generated initials, used until a picture is uploaded. */
export function initialsFile(id: string): string {
  return `${id}.svg`
}

/** Takes the place of an older one, whose file expires. */
export async function keepPicture(tx: Tx, owner: PictureOwner, file: string): Promise<void> {
  await useFile(tx.db, file)
  const column = 'account_id' in owner ? 'account_id' : 'channel_id'
  await tx.db
    .insertInto('pictures')
    .values({ ...owner, file })
    .onConflict((conflict) => conflict.column(column).doUpdateSet({ file, webp: null }))
    .execute()
}

/** Returns false if there was none. */
export async function dropPicture(tx: Tx, owner: PictureOwner): Promise<boolean> {
  const gone = tx.db.deleteFrom('pictures')
  const dropped =
    'account_id' in owner
      ? gone.where('account_id', '=', owner.account_id)
      : gone.where('channel_id', '=', owner.channel_id)
  const { numDeletedRows } = await dropped.executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}
