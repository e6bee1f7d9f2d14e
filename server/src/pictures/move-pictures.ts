import { sql, type Kysely } from 'kysely'
import type { Tables } from '../db/tables.ts'
import { storeFile, useFile } from '../files/stored-files.ts'
import type { Services } from '../operations/services.ts'

const BATCH = 20

/** Moves pictures that earlier versions have stored in the database. Until then they are read from there. */
export async function movePictures(services: Pick<Services, 'database' | 'files'>): Promise<void> {
  const { kysely } = services.database
  for (;;) {
    const rows = await kysely
      .selectFrom('pictures')
      .select(['account_id', 'channel_id', 'webp'])
      .where('webp', 'is not', null)
      .limit(BATCH)
      .execute()
    if (rows.length === 0) return
    for (const { account_id, channel_id, webp } of rows) {
      if (webp) await movePicture(services, { id: account_id ?? channel_id, webp })
    }
  }
}

async function movePicture(
  services: Pick<Services, 'database' | 'files'>,
  { id, webp }: { id: string | null; webp: Buffer },
): Promise<void> {
  const file = await storeFile(services, webp, webp.length)
  await services.database.kysely.transaction().execute(async (db: Kysely<Tables>) => {
    // If it was changed meanwhile, the file expires.
    const { numAffectedRows } = await sql`
      UPDATE pictures SET file = ${file}, webp = NULL
      WHERE (account_id = ${id}::uuid OR channel_id = ${id}::uuid) AND webp = ${webp}`.execute(db)
    if (numAffectedRows === 1n) await useFile(db, file)
  })
}
