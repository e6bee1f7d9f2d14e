import type { Tx } from '../operations/transaction.ts'

export type PictureOwner = { readonly account_id: string } | { readonly channel_id: string }

/** The name under which `/media/avatars/` serves a picture that was uploaded. */
export function pictureFile(id: string): string {
  return `${id}.webp`
}

/** Until a picture is uploaded, one is drawn from the name's initials. */
export function initialsFile(id: string): string {
  return `${id}.svg`
}

export async function keepPicture(tx: Tx, owner: PictureOwner, webp: Buffer): Promise<void> {
  const column = 'account_id' in owner ? 'account_id' : 'channel_id'
  await tx.db
    .insertInto('pictures')
    .values({ ...owner, webp })
    .onConflict((conflict) => conflict.column(column).doUpdateSet({ webp }))
    .execute()
}

/** False when there was none. */
export async function dropPicture(tx: Tx, owner: PictureOwner): Promise<boolean> {
  const gone = tx.db.deleteFrom('pictures')
  const dropped =
    'account_id' in owner
      ? gone.where('account_id', '=', owner.account_id)
      : gone.where('channel_id', '=', owner.channel_id)
  const { numDeletedRows } = await dropped.executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}
