import { readFile } from 'node:fs/promises'
import pg, { type Client } from 'pg'
import { afterAll, expect } from 'vitest'
import { connect, filledDatabase } from './filled-database.ts'

/** Statements that may read a large table from end to end, by their beginning, with the reason. */
const ALLOWED: readonly { readonly statement: RegExp; readonly because: string }[] = [
  {
    statement: /^delete from "sessions" where "last_used_at"/,
    because: 'once an hour; an index would be written with every visit of a person',
  },
  {
    statement: /^DELETE FROM sign_in_failures WHERE starts_with\(subject/,
    because: 'once per new password; the table holds the failures of an hour',
  },
]

/** All that this worker has sent to a database and not been checked yet. */
const unchecked = new Set<string>()
const checked = new Set<string>()

/**
 * Notes every statement that the program sends during the tests of a file, and fails the file when one of them would read
 * a large table from end to end. New statements need no mention anywhere: a test that runs them is enough. What a test
 * does to the database by itself is known by its text, or goes over a connection of its own (`onDatabaseOf`).
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
    const ours = (this as unknown as { connectionParameters: { options?: string } }).connectionParameters.options
    // Only the program's own connections plan once for all values; those of tests read as they like.
    if (typeof text === 'string' && ours?.includes('force_generic_plan') && !checked.has(text)) unchecked.add(text)
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
    // As if the tables were twenty times as large, which would take long to fill.
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

/** What a test does to the tables by itself may read them as it likes. Names may be filled in: a long piece is enough. */
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

/** The tables that the generic plan of a statement reads from end to end. */
async function scannedBy(client: Client, statement: string): Promise<string[]> {
  try {
    await client.query(`PREPARE planned AS ${statement}`)
  } catch {
    // Not one that has a plan (BEGIN, NOTIFY), or about a table that only its test has.
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
