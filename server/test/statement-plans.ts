import { readFile } from 'node:fs/promises'
import pg, { type Client } from 'pg'
import { afterAll, expect } from 'vitest'
import { connect, filledDatabase } from './filled-database.ts'

/** Statements that may scan a large table, with the reason. */
const ALLOWED: readonly { readonly statement: RegExp; readonly because: string }[] = [
  {
    statement: /^\s*WITH ended AS \(\s*DELETE FROM sessions WHERE ctid/,
    because: 'once an hour; an index would be written with every visit of a person',
  },
  {
    statement: /^DELETE FROM sign_in_failures WHERE starts_with\(subject/,
    because: 'once per new password; the table holds the failures of an hour',
  },
  {
    statement: /^\s*SELECT NOT EXISTS \(SELECT FROM accounts\)/,
    because: 'once per start of the demo; it ends with the first row',
  },
]

/** Statements that this worker has sent to a database and not checked yet. */
const unchecked = new Set<string>()
const checked = new Set<string>()

/**
 * Records every statement that the server sends during a test file, and fails the file if one of them would scan a large
 * table. Every new statement that a test runs is checked. A test's own statements are exempt: they are recognized by their
 * text, or use a separate connection (`queryDatabaseOf`).
 */
export function checkPlansOfFile(): void {
  record()
  afterAll(async () => {
    const statements = [...unchecked]
    unchecked.clear()
    for (const statement of statements) checked.add(statement)
    if (statements.length > 0) await checkPlans(statements)
  })
}

let recording = false

function record(): void {
  if (recording) return
  recording = true
  const { query } = pg.Client.prototype
  pg.Client.prototype.query = function (this: Client, ...args: unknown[]) {
    const [first] = args
    const text = typeof first === 'object' && first !== null && 'text' in first ? first.text : first
    const { options } = (this as unknown as { connectionParameters: { options?: string } }).connectionParameters
    // Only the server's own connections use generic plans; connections of tests are not checked.
    if (typeof text === 'string' && options?.includes('force_generic_plan') && !checked.has(text)) unchecked.add(text)
    return Reflect.apply(query, this, args)
  } as typeof query
}

interface Plan {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly Plans?: readonly Plan[]
}

async function checkPlans(statements: readonly string[]): Promise<void> {
  const client = await connect(await filledDatabase())
  try {
    await client.query('SET plan_cache_mode = force_generic_plan')
    // Makes a scan as expensive as one of tables twenty times as large, which would take long to fill.
    await client.query('SET seq_page_cost = 20')
    const large = await largeTables(client)
    const test = await readFile(expect.getState().testPath ?? '', 'utf8')
    const scanning: string[] = []
    for (const statement of statements) {
      if (ALLOWED.some((allowed) => allowed.statement.test(statement))) continue
      const scanned = (await scannedBy(client, statement)).filter((table) => large.has(table))
      if (scanned.length > 0 && !isWrittenIn(test, statement)) {
        scanning.push(`${scanned.join(', ')}:\n${statement.trim()}`)
      }
    }
    if (scanning.length > 0) throw new Error(`Statements read whole tables:\n\n${scanning.join('\n\n')}`)
  } finally {
    await client.end()
  }
}

/** Whether the test file contains the statement, or a long piece of it: the rest may be interpolated. */
function isWrittenIn(test: string, statement: string): boolean {
  const length = Math.min(30, statement.trim().length)
  return Array.from({ length: statement.trim().length - length + 1 }, (_, at) => at).some((at) =>
    test.includes(statement.trim().slice(at, at + length)),
  )
}

async function largeTables(client: Client): Promise<Set<string>> {
  const { rows } = await client.query<{ name: string }>(`
    SELECT relname AS name FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND reltuples > 1000`)
  return new Set(rows.map(({ name }) => name))
}

/** The tables that the generic plan of a statement scans sequentially. */
async function scannedBy(client: Client, statement: string): Promise<string[]> {
  try {
    await client.query(`PREPARE planned AS ${statement}`)
  } catch {
    // A statement without a plan (BEGIN, NOTIFY), or about a table that exists only in its test.
    return []
  }
  const { rows: prepared } = await client.query<{ count: number }>(
    `SELECT cardinality(parameter_types) AS count FROM pg_prepared_statements WHERE name = 'planned'`,
  )
  const values = Array.from({ length: prepared[0]?.count ?? 0 }, () => 'NULL').join()
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
    `EXPLAIN (FORMAT JSON) EXECUTE planned${values === '' ? '' : `(${values})`}`,
  )
  await client.query('DEALLOCATE planned')
  const scanned = (plan: Plan): string[] => [
    ...(plan['Node Type'] === 'Seq Scan' && plan['Relation Name'] !== undefined ? [plan['Relation Name']] : []),
    ...(plan.Plans ?? []).flatMap(scanned),
  ]
  return rows.flatMap((row) => scanned(row['QUERY PLAN'][0].Plan))
}
