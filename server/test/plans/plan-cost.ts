import { DatabaseError, escapeLiteral, type ClientBase } from 'pg'
import type { RecordedStatement } from './recorded-statements.ts'

interface Plan {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly 'Shared Hit Blocks': number
  readonly 'Shared Read Blocks': number
  readonly Plans?: readonly Plan[]
}

export interface PlanCost {
  /** Rows that were read from tables and indexes, shown or not. */
  readonly rows: number
  /** Pages that were read, also by the functions that the statement calls. */
  readonly pages: number
  /** The scan that read most. */
  readonly largest: string
}

/** What a statement reads, with a generic plan as the server uses it. Its changes are rolled back. Undefined: it has no plan. */
export async function costOf(client: ClientBase, { text, values }: RecordedStatement): Promise<PlanCost | undefined> {
  try {
    await client.query(`PREPARE planned AS ${text}`)
  } catch {
    // BEGIN, NOTIFY and the like.
    return undefined
  }
  const literals = values.map((value) => literalOf(value)).join()
  try {
    // Without foreign keys and triggers: what it refers to may be gone.
    await client.query('BEGIN; SET LOCAL session_replication_role = replica')
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      `EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) EXECUTE planned${literals === '' ? '' : `(${literals})`}`,
    )
    const { Plan: plan } = rows[0]!['QUERY PLAN'][0]
    const scans = scansOf(plan)
    const largest = scans.toSorted((a, b) => b.rows - a.rows)[0]
    return {
      rows: scans.reduce((sum, scan) => sum + scan.rows, 0),
      pages: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'],
      largest: largest ? `${largest.name}: ${largest.rows}` : '',
    }
  } catch (error) {
    // It has inserted its row already, and would read no more than a row to find out.
    if (error instanceof DatabaseError && error.code === '23505') return undefined
    throw error
  } finally {
    await client.query('ROLLBACK')
    await client.query('DEALLOCATE planned')
  }
}

function scansOf(plan: Plan): { name: string; rows: number }[] {
  const removed = (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0)
  const name = [plan['Node Type'], plan['Index Name'] ?? plan['Relation Name']].join(' on ')
  const own = plan['Node Type'].includes('Scan') && (plan['Relation Name'] ?? plan['Index Name']) !== undefined
  const rows = Math.round((plan['Actual Rows'] + removed) * plan['Actual Loops'])
  return [...(own ? [{ name, rows }] : []), ...(plan.Plans ?? []).flatMap(scansOf)]
}

/** As `pg` sends the value. */
function literalOf(value: unknown): string {
  if (value === null || value === undefined) return 'NULL'
  if (Buffer.isBuffer(value)) return `'\\x${value.toString('hex')}'`
  if (Array.isArray(value)) return escapeLiteral(`{${value.map(elementOf).join()}}`)
  return escapeLiteral(textOf(value))
}

function elementOf(value: unknown): string {
  if (value === null || value === undefined) return 'NULL'
  if (Buffer.isBuffer(value)) return `"\\\\x${value.toString('hex')}"`
  return JSON.stringify(textOf(value))
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  return value instanceof Date ? value.toISOString() : JSON.stringify(value)
}
