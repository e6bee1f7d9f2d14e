import { sql, type RawBuilder } from 'kysely'
import type { Tx } from '../operations/transaction.ts'

interface Asked {
  readonly search?: string
  readonly beforeId?: string
  readonly limit?: number
}

/** A page of the rows that the statement calls `t`, newest first: ids are in order of creation. */
export async function pageOf<Row>(
  tx: Tx,
  { search, beforeId, limit = 50 }: Asked,
  listed: RawBuilder<Row>,
): Promise<{ rows: Row[]; hasMore: boolean }> {
  const named = search === undefined ? sql`` : sql`AND t.name ILIKE ${pattern(search.trim())}`
  const older = beforeId === undefined ? sql`` : sql`AND t.id < ${beforeId}::uuid`
  const { rows } = await sql<Row>`${listed} ${named} ${older} ORDER BY t.id DESC LIMIT ${limit + 1}::int`.execute(tx.db)
  return { rows: rows.slice(0, limit), hasMore: rows.length > limit }
}

/** Escapes wildcards: a percent sign matches a percent sign. */
export function pattern(search: string): string {
  return `%${search.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
}
