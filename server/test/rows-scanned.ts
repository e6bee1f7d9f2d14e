import type { RawBuilder } from 'kysely'
import { connect } from './filled-database.ts'
import type { TestServer } from './start-server.ts'

interface Plan {
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: Plan[]
}

/**
 * How many rows of these tables a statement reads: its cost, independent of the machine's speed. It gets a generic plan,
 * like all statements of the server, and up-to-date statistics. Uses a separate connection without a statement timeout.
 */
export async function rowsScanned(
  server: TestServer,
  statement: RawBuilder<unknown>,
  tables: readonly string[] = ['members', 'accounts'],
): Promise<number> {
  const { sql, parameters } = statement.compile(server.services.database.kysely)
  const literals = parameters.map((value) => {
    if (value === null) return 'NULL'
    const text = Array.isArray(value) ? `{${value.join()}}` : typeof value === 'string' ? value : JSON.stringify(value)
    return `'${text.replaceAll("'", "''")}'`
  })
  const client = await connect(server.services.config.DATABASE_URL ?? '')
  try {
    await client.query(`ANALYZE ${tables.join(', ')}`)
    await client.query('SET plan_cache_mode = force_generic_plan')
    await client.query(`PREPARE seen AS ${sql}`)
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      `EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE seen(${literals.join()})`,
    )
    const count = (plan: Plan): number => {
      const removed = (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0)
      const own = plan['Actual Rows'] * plan['Actual Loops'] + removed
      const counted = tables.includes(plan['Relation Name'] ?? '') ? own : 0
      return (plan.Plans ?? []).reduce((sum, inner) => sum + count(inner), counted)
    }
    return rows.reduce((sum, row) => sum + count(row['QUERY PLAN'][0].Plan), 0)
  } finally {
    await client.end()
  }
}
