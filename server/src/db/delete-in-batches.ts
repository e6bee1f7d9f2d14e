import { sql, type Kysely, type RawBuilder } from 'kysely'
import type { Tables } from './tables.ts'

/** The most rows that one statement deletes: far below what it can delete before its timeout. */
export const DELETE_BATCH = 1000

/** A cleanup, which ends between two batches when the program stops. */
export interface Sweep {
  readonly db: Kysely<Tables>
  readonly stopping?: AbortSignal | undefined
}

/**
 * Deletes the rows for which the condition holds; an index should find them. Each batch is its own transaction, so that
 * however many rows there are, nothing waits for long, and what was deleted stays deleted. Several nodes may do this at the
 * same time: they skip each other's rows.
 */
export async function deleteInBatches(
  { db, stopping }: Sweep,
  table: keyof Tables,
  condition: RawBuilder<unknown>,
  size = DELETE_BATCH,
): Promise<void> {
  const rows = sql.table(table)
  await inBatches({ stopping, size }, async () => {
    const { numAffectedRows = 0n } = await sql`
      DELETE FROM ${rows} WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM ${rows} WHERE ${condition} LIMIT ${sql.lit(size)} FOR UPDATE SKIP LOCKED
      ))`.execute(db)
    return Number(numAffectedRows)
  })
}

/** Repeats a statement that deletes at most `size` rows and returns their number, until it finds fewer. */
export async function inBatches(
  { stopping, size = DELETE_BATCH }: { readonly stopping?: AbortSignal | undefined; readonly size?: number },
  deleteBatch: () => Promise<number>,
): Promise<void> {
  for (;;) {
    const deleted = await deleteBatch()
    if (deleted < size || stopping?.aborted) return
  }
}
