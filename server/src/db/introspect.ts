import type { ClientBase, Pool } from 'pg'

export interface Table {
  name: string
  columns: Column[]
}

export interface Column {
  name: string
  /** The type's own name; for an array that of its items. */
  type: string
  array: boolean
  nullable: boolean
  hasDefault: boolean
  /** Computed from other columns. */
  generated: boolean
  /** Numbered by the database; `always` takes no other number. */
  identity: 'always' | 'by default' | null
  /** The labels of an enum type. */
  labels: string[] | null
  /** CHECK constraints on this column only, as PostgreSQL writes them. */
  checks: string[]
}

/** Reads the tables of the public schema, in the order of their names; partitions are recognized by their parent. */
export async function introspect(client: ClientBase | Pool): Promise<Table[]> {
  const { rows } = await client.query<Column & { table: string }>(`
    SELECT class.relname AS table, attribute.attname AS name,
           coalesce(item.typname, base.typname) AS type, item.oid IS NOT NULL AS array,
           NOT (attribute.attnotnull OR type.typnotnull) AS nullable,
           attribute.atthasdef AS "hasDefault", attribute.attgenerated <> '' AS generated,
           CASE attribute.attidentity WHEN 'a' THEN 'always' WHEN 'd' THEN 'by default' END AS identity,
           (SELECT array_agg(enumlabel::text ORDER BY enumsortorder) FROM pg_enum
             WHERE enumtypid = coalesce(item.oid, base.oid)) AS labels,
           ARRAY(SELECT pg_get_constraintdef(pg_constraint.oid) FROM pg_constraint
             WHERE conrelid = class.oid AND contype = 'c' AND conkey = ARRAY[attribute.attnum] ORDER BY conname) AS checks
      FROM pg_class class
      JOIN pg_attribute attribute ON attribute.attrelid = class.oid AND attnum > 0 AND NOT attisdropped
      JOIN pg_type type ON type.oid = attribute.atttypid
      JOIN pg_type base ON base.oid = CASE type.typtype WHEN 'd' THEN type.typbasetype ELSE type.oid END
      LEFT JOIN pg_type item ON item.oid = base.typelem AND base.typcategory = 'A'
     WHERE class.relnamespace = 'public'::regnamespace AND class.relkind IN ('r', 'p') AND NOT class.relispartition
     ORDER BY class.relname, attribute.attnum`)
  const tables = new Map<string, Table>()
  for (const { table: name, ...column } of rows) {
    const table = tables.get(name) ?? { name, columns: [] }
    table.columns.push(column)
    tables.set(name, table)
  }
  return [...tables.values()]
}
