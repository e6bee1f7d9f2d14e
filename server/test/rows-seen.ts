import { sql, type RawBuilder } from 'kysely'
import type { TestServer } from './start-server.ts'

interface Plan {
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  Plans?: Plan[]
}

/**
 * How many rows of members and accounts a statement looks at: what it costs, without a clock. It is planned without
 * knowing its values, as a statement is that was used a few times, and with statistics as the server would have them.
 */
export async function rowsSeen(server: TestServer, statement: RawBuilder<unknown>): Promise<number> {
  const { kysely } = server.parts.database
  await sql`ANALYZE`.execute(kysely)
  const compiled = statement.compile(kysely)
  const literals = compiled.parameters.map((value) => `'${Array.isArray(value) ? `{${value.join()}}` : String(value)}'`)
  const rows = await kysely.connection().execute(async (connection) => {
    await sql`SET plan_cache_mode = force_generic_plan`.execute(connection)
    await sql`PREPARE seen AS ${sql.raw(compiled.sql)}`.execute(connection)
    const { rows } = await sql<{ 'QUERY PLAN': [{ Plan: Plan }] }>`
      EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE seen(${sql.raw(literals.join())})`.execute(connection)
    await sql`DEALLOCATE seen`.execute(connection)
    await sql`RESET plan_cache_mode`.execute(connection)
    return rows
  })
  const count = (plan: Plan): number => {
    const own = plan['Actual Rows'] * plan['Actual Loops'] + (plan['Rows Removed by Filter'] ?? 0)
    const counted = ['members', 'accounts'].includes(plan['Relation Name'] ?? '') ? own : 0
    return (plan.Plans ?? []).reduce((sum, inner) => sum + count(inner), counted)
  }
  return rows.reduce((sum, row) => sum + count(row['QUERY PLAN'][0].Plan), 0)
}
