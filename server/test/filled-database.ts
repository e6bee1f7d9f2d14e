import { inject } from 'vitest'
import { Client } from 'pg'
import { introspect, type Column, type Table } from '../src/db/introspect.ts'
import { literalsOf } from '../tooling/tables-generator/literals.ts'
import { databaseUrl } from './query-database.ts'

/** Tables that stay small in a large portal, so that a full scan of them is fine. */
const SMALL = new Set([
  'quota_counting',
  'quota_log',
  'quota_nodes',
  'quota_windows',
  'message_removals',
  'schema_migrations',
  'sign_in_keys',
  'stream_owners',
  'voice_sessions',
  'webhooks',
])

const ROWS = 5000
/** How many rows share a value where it is not unique: members of a channel, messages of a room. */
const SHARED = 20

/**
 * The address of a database with many rows in every large table, created once per test run. It is for query plans: the rows
 * satisfy unique indexes but no other constraint. Pages are mostly empty, so that a scan costs as much as one of ten times
 * the rows.
 */
export async function filledDatabase(): Promise<string> {
  const name = `${inject('testRun')}_filled`
  const server = await connect(inject('postgresUrl'))
  try {
    // Test files end in several workers concurrently: the first one fills it, the others wait.
    await server.query(`SELECT pg_advisory_lock(hashtext($1))`, [name])
    const { rowCount } = await server.query('SELECT FROM pg_database WHERE datname = $1', [name])
    if (rowCount === 0) {
      const unfinished = `${name}_unfinished`
      await server.query(`DROP DATABASE IF EXISTS ${unfinished}`)
      await server.query(`CREATE DATABASE ${unfinished} TEMPLATE ${inject('testRun')} STRATEGY file_copy`)
      await fill(databaseUrl(inject('postgresUrl'), unfinished))
      await server.query(`ALTER DATABASE ${unfinished} RENAME TO ${name}`)
    }
  } finally {
    await server.end()
  }
  return databaseUrl(inject('postgresUrl'), name)
}

export async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url, options: '-c client_min_messages=warning' })
  await client.connect()
  return client
}

async function fill(url: string): Promise<void> {
  const client = await connect(url)
  try {
    const tables = await introspect(client)
    const unique = await uniqueIndexes(client)
    await dropRules(client)
    for (const table of tables) {
      if (SMALL.has(table.name) || hasOneRow(table)) continue
      await client.query(`ALTER TABLE ${table.name} SET (fillfactor = 10)`)
      await client.query(insertInto(table, unique.get(table.name) ?? []))
    }
    await client.query('ANALYZE')
  } finally {
    await client.end()
  }
}

/** By convention, a table with one row has the column `only_row`. */
function hasOneRow({ columns }: Table): boolean {
  return columns.some(({ name, type }) => name === 'only_row' && type === 'bool')
}

/** Foreign keys, checks and triggers would reject the generated rows. */
async function dropRules(client: Client): Promise<void> {
  const { rows } = await client.query<{ drop: string }>(`
    SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS drop FROM pg_constraint
    WHERE connamespace = 'public'::regnamespace AND contype IN ('f', 'c') AND conrelid <> 0
    UNION ALL
    SELECT format('ALTER TABLE %s DISABLE TRIGGER USER', oid::regclass) FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'`)
  for (const { drop } of rows) await client.query(drop)
}

/** The columns of every unique index, by table. */
async function uniqueIndexes(client: Client): Promise<Map<string, string[][]>> {
  const { rows } = await client.query<{ table: string; columns: string[] }>(`
    SELECT c.relname AS table, array_agg(a.attname::text ORDER BY k.number) AS columns
    FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
    CROSS JOIN generate_series(1, i.indnkeyatts) k (number)
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
      AND pg_get_indexdef(i.indexrelid, k.number, true) ~ ('\\m' || a.attname || '\\M')
    WHERE i.indisunique AND c.relnamespace = 'public'::regnamespace GROUP BY c.relname, i.indexrelid`)
  const indexes = Map.groupBy(rows, ({ table }) => table)
  return new Map([...indexes].map(([table, of]) => [table, of.map(({ columns }) => columns)]))
}

function insertInto({ name, columns }: Table, indexes: readonly (readonly string[])[]): string {
  const given = columns.filter(({ generated }) => !generated)
  const free = new Set(given.filter((column) => literalsIn(column).length === 0).map((column) => column.name))
  // One column per unique index gets unique values: the last one without a fixed list of values.
  const unique = new Set(indexes.map((index) => index.findLast((column) => free.has(column))))
  const names = given.map((column) => column.name).join(', ')
  const values = given.map((column) => valueOf(column, unique.has(column.name))).join(', ')
  return `INSERT INTO ${name} (${names}) OVERRIDING SYSTEM VALUE SELECT ${values} FROM generate_series(1, ${ROWS}) n`
}

function literalsIn({ name, checks }: Column): string[] {
  return checks.flatMap((check) => literalsOf(check, name) ?? [])
}

function valueOf(column: Column, unique: boolean): string {
  const value = column.array ? `'{}'::${column.type}[]` : itemOf(column, unique ? 'n' : `(n % ${ROWS / SHARED})`)
  return column.nullable && !unique ? `CASE WHEN n % 4 = 0 THEN ${value} END` : value
}

function itemOf(column: Column, n: string): string {
  const { name, type } = column
  const literals = literalsIn(column)
  if (literals.length > 0)
    return `(ARRAY['${literals.join(`', '`)}'])[n * ${SHARED} / ${ROWS} % ${literals.length} + 1]`
  switch (type) {
    case 'uuid':
      return `('01900000-0000-7000-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid`
    case 'text':
      return `'text ' || ${n}`
    case 'bool':
      return `n % 10 = 0`
    case 'timestamptz':
      return `now() ${name === 'expires_at' ? '+' : '-'} make_interval(mins => n)`
    case 'json':
    case 'jsonb':
      return `'{}'::${type}`
    case 'bytea':
      return `int8send(${n})`
    default:
      return n
  }
}
