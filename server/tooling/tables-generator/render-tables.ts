import type { Column, Table } from '../../src/db/introspect.ts'
import { literalsOf } from './literals.ts'

const header = `// Written by generate-tables.ts from the migrated database. Not for editing.
import type { ColumnType } from 'kysely'

/** A column with a default: may be left out when inserting. */
export type Generated<T> = [T] extends [ColumnType<infer S, infer I, infer U>]
  ? ColumnType<S, I | undefined, U>
  : ColumnType<T, T | undefined, T>

/** A column that only the database writes. */
export type GeneratedAlways<T> = ColumnType<T, never, never>

/** An instant: read as ISO-8601 in UTC with milliseconds. */
export type Timestamp = ColumnType<string, string | Date, string | Date>

/** Read as whatever was written. An array must be written as text (JSON.stringify): the driver would send a PostgreSQL array. */
export type Json = ColumnType<unknown, string | { readonly [key: string]: unknown }, string | { readonly [key: string]: unknown }>
`

const types: Record<string, string> = {
  bool: 'boolean',
  bytea: 'Buffer',
  date: 'string',
  float4: 'number',
  float8: 'number',
  inet: 'string',
  int2: 'number',
  int4: 'number',
  int8: 'number',
  json: 'Json',
  jsonb: 'Json',
  numeric: 'string',
  text: 'string',
  timestamptz: 'Timestamp',
  tsvector: 'string',
  uuid: 'string',
  varchar: 'string',
  xid8: 'string',
}

/** What a type reads as, where that is not the type itself. */
const readsAs: Record<string, string> = { Timestamp: 'string', Json: 'unknown' }

/** Writes `tables.ts`. */
export function renderTables(tables: Table[]): string {
  const shown = tables.filter(({ name }) => name !== 'schema_migrations')
  const index = shown.map(({ name }) => `  ${name}: ${interfaceName(name)}\n`).join('')
  const interfaces = shown.map(
    (table) =>
      `export interface ${interfaceName(table.name)} {\n` +
      table.columns.map((column) => `  ${column.name}: ${columnType(column, table)}\n`).join('') +
      '}\n',
  )
  return [header, `export interface Tables {\n${index}}\n`, ...interfaces].join('\n')
}

function interfaceName(table: string): string {
  return `${table.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())}Table`
}

function columnType(column: Column, table: Table): string {
  const item = itemType(column, table)
  const single = column.array ? (readsAs[item] ?? item) : item
  const whole = column.array ? (single.includes('|') ? `(${single})[]` : `${single}[]`) : single
  if (column.generated || column.identity === 'always') {
    return `GeneratedAlways<${readsAs[whole] ?? whole}${column.nullable ? ' | null' : ''}>`
  }
  const type = column.hasDefault || column.identity ? `Generated<${whole}>` : whole
  return column.nullable ? `${type} | null` : type
}

function itemType({ name, type, labels, checks }: Column, table: Table): string {
  const literals = labels ?? checks.map((check) => literalsOf(check, name)).find((found) => found !== undefined)
  if (literals) return literals.map((text) => `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`).join(' | ')
  const known = types[type]
  if (!known)
    throw new Error(`${table.name}.${name}: the type ${type} has no counterpart yet; give it one in render-tables.ts`)
  return known
}
