import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'
import { atFileEnd } from './file-end.ts'
import { databaseUrl, queryDatabase } from './query-database.ts'

/**
 * Creates a migrated, empty database and returns its address, for `openDatabase({ url })` or `DATABASE_URL`. It is dropped
 * at the end of the test file.
 */
export async function testDatabase(): Promise<{ url: string; name: string }> {
  return createDatabase(inject('testRun'))
}

/** The same without tables. */
export async function emptyDatabase(): Promise<{ url: string; name: string }> {
  return createDatabase('template0')
}

/** A copy of another database that is not in use. */
export async function copyOfDatabase(name: string): Promise<{ url: string; name: string }> {
  return createDatabase(name)
}

async function createDatabase(template: string): Promise<{ url: string; name: string }> {
  const name = `${inject('testRun')}_${randomBytes(6).toString('hex')}`
  // Copied file by file: through its log, a server takes four times as long.
  await queryDatabase(inject('postgresUrl'), `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`)
  atFileEnd(() => queryDatabase(inject('postgresUrl'), `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`))
  return { url: databaseUrl(inject('postgresUrl'), name), name }
}
