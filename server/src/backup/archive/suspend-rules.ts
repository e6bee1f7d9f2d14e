import { type Client, escapeIdentifier } from 'pg'

interface ForeignKey {
  table: string
  name: string
  definition: string
}

/**
 * Empties all tables and suspends what prevents loading them in any order: foreign keys, and triggers that would count or
 * log rows a second time. Indexes are dropped as well: built from all rows at once, they take a fraction of the time. The owner
 * of the tables may do this without being a superuser. The returned function restores everything, and verifies every foreign
 * key.
 */
export async function suspendRules(client: Client, tables: string[]): Promise<() => Promise<void>> {
  const { rows: keys } = await client.query<ForeignKey>(
    `SELECT conrelid::regclass::text AS table, quote_ident(conname) AS name, pg_get_constraintdef(oid) AS definition
       FROM pg_constraint
      WHERE contype = 'f' AND conparentid = 0 AND connamespace = 'public'::regnamespace
      ORDER BY oid`,
  )
  const names = tables.map((table) => escapeIdentifier(table))
  for (const { table, name } of keys) await client.query(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`)
  const indexes = await indexesWithoutConstraint(client)
  for (const { name } of indexes) await client.query(`DROP INDEX ${name}`)
  for (const name of names) await client.query(`ALTER TABLE ${name} DISABLE TRIGGER USER`)
  if (names.length > 0) await client.query(`TRUNCATE ${names.join(', ')}`)

  return async () => {
    await client.query('SET CONSTRAINTS ALL IMMEDIATE')
    for (const name of names) await client.query(`ALTER TABLE ${name} ENABLE TRIGGER USER`)
    await client.query(`SET LOCAL maintenance_work_mem = '256MB'`)
    for (const { definition } of indexes) await client.query(definition)
    for (const { table, name, definition } of keys) {
      await client.query(`ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`)
    }
  }
}

/** Primary keys and unique constraints are not among them: foreign keys refer to those. */
async function indexesWithoutConstraint(client: Client): Promise<{ name: string; definition: string }[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition
       FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
      WHERE relnamespace = 'public'::regnamespace
        AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid AND contype IN ('p', 'u', 'x'))
      ORDER BY indexrelid`,
  )
  return rows
}
