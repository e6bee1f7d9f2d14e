import { type Client, escapeIdentifier } from 'pg'

interface ForeignKey {
  table: string
  name: string
  definition: string
}

/**
 * Empties all tables and suspends what prevents loading them in any order: foreign keys, and triggers that would count or
 * log rows a second time. The owner of the tables may do this without being a superuser. The returned function restores
 * everything, and verifies every foreign key.
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
  for (const name of names) await client.query(`ALTER TABLE ${name} DISABLE TRIGGER USER`)
  if (names.length > 0) await client.query(`TRUNCATE ${names.join(', ')}`)

  return async () => {
    await client.query('SET CONSTRAINTS ALL IMMEDIATE')
    for (const name of names) await client.query(`ALTER TABLE ${name} ENABLE TRIGGER USER`)
    for (const { table, name, definition } of keys) {
      await client.query(`ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`)
    }
  }
}
