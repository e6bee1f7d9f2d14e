import { sql, type RawBuilder } from 'kysely'
import type { Tx } from '../operations/transaction.ts'

/** What a list shows of the rows of a table, which its columns call `t`. */
export interface List<Row> {
  readonly table: 'accounts' | 'applications' | 'channels'
  readonly columns: RawBuilder<Row>
  /** Which rows of the table it shows. Absent: all. */
  readonly where?: RawBuilder<unknown>
}

interface Wanted {
  readonly search?: string
  readonly beforeId?: string
  readonly limit?: number
}

/**
 * A page of a list, newest first: ids are in order of creation. Names are compared within an index, and everything else is
 * read only for the rows of the page (hence the LIMIT of one: a join might read the whole table).
 */
export async function pageOf<Row>(
  tx: Tx,
  { search, beforeId, limit = 50 }: Wanted,
  { table, columns, where = sql`true` }: List<Row>,
): Promise<{ rows: Row[]; hasMore: boolean }> {
  // In a subquery of its own, or it would be evaluated for every name.
  const named = search === undefined ? sql`` : sql`AND strpos(t.sort_name, (SELECT sort_name(${search.trim()}))) > 0`
  const older = beforeId === undefined ? sql`` : sql`AND t.id < ${beforeId}::uuid`
  const { rows } = await sql<Row>`
    SELECT ${columns}
    FROM (
      SELECT t.id FROM ${sql.table(table)} t WHERE ${where} ${named} ${older} ORDER BY t.id DESC LIMIT ${limit + 1}::int
    ) page
    CROSS JOIN LATERAL (SELECT * FROM ${sql.table(table)} WHERE id = page.id LIMIT 1) t
    ORDER BY page.id DESC`.execute(tx.db)
  return { rows: rows.slice(0, limit), hasMore: rows.length > limit }
}

/** A row of a list, if it is there. */
export async function rowOf<Row>(
  tx: Tx,
  id: string,
  { table, columns, where = sql`true` }: List<Row>,
): Promise<Row | undefined> {
  const { rows } = await sql<Row>`
    SELECT ${columns} FROM ${sql.table(table)} t WHERE ${where} AND t.id = ${id}::uuid`.execute(tx.db)
  return rows[0]
}
