import type { Readable } from 'node:stream'
import { sql, type Kysely } from 'kysely'
import type { ClientBase } from 'pg'
import type { Tables } from '../db/tables.ts'
import { newFileName, type FileStore } from './file-store.ts'

/** Held by a backup: files that its snapshot refers to must not be deleted before they are copied. */
const BACKUP_LOCK = 0x706f7262
const BATCH = 100

interface Storage {
  readonly database: { readonly kysely: Kysely<Tables> }
  readonly files: Pick<FileStore, 'put' | 'delete'>
}

/**
 * Stores a file that nothing refers to yet. It is entered in the table first, so it is deleted after a day unless a
 * transaction calls `useFile`, whenever this process is killed.
 */
export async function storeFile(
  { database, files }: Storage,
  content: Buffer | Readable,
  length: number,
): Promise<string> {
  const name = newFileName()
  await database.kysely.insertInto('files').values({ name }).execute()
  await files.put(name, content, length)
  return name
}

/** Lets what the transaction writes refer to the file. When that is gone, a trigger of its table gives the file up. */
export async function useFile(db: Kysely<Tables>, name: string): Promise<void> {
  // A file that is about to expire isn't used: the sweep could delete it before this transaction commits.
  const { numAffectedRows } = await sql`
    UPDATE files SET expires_at = NULL WHERE name = ${name} AND expires_at > now() + interval '1 minute'`.execute(db)
  if (numAffectedRows !== 1n) throw new Error(`the file ${name} has expired, or is used already`)
}

/** Deletes the files that nothing refers to. The row goes last, so that a file is never forgotten. */
export async function sweepFiles({ database: { kysely }, files }: Storage): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ name: string }>`
      WITH no_backup AS MATERIALIZED (SELECT pg_try_advisory_xact_lock(${BACKUP_LOCK}) AS locked)
      SELECT name FROM files, no_backup WHERE locked AND expires_at <= now() LIMIT ${BATCH}`.execute(kysely)
    if (rows.length === 0) return
    const names = rows.map(({ name }) => name)
    await files.delete(names)
    await kysely.deleteFrom('files').where('name', 'in', names).where('expires_at', 'is not', null).execute()
  }
}

/** Whether one of the files that something refers to is missing in the storage: then it is another storage. */
export async function isOtherStorage(db: Kysely<Tables>, files: Pick<FileStore, 'get'>): Promise<boolean> {
  const used = db.selectFrom('files').select('name').where('expires_at', 'is', null)
  const one = await used.orderBy('name').limit(1).executeTakeFirst()
  if (!one) return false
  const found = await files.get(one.name)
  found?.body.destroy()
  if (found) return false
  // Another node may have deleted it in the meantime.
  return (await used.where('name', '=', one.name).executeTakeFirst()) !== undefined
}

/** Until the connection ends, no file is deleted that a snapshot taken after this refers to. */
export async function keepFilesForBackup(client: ClientBase): Promise<void> {
  await client.query('SELECT pg_advisory_lock_shared($1)', [BACKUP_LOCK])
}

/** The names of the files that something refers to. */
export async function* usedFiles(client: ClientBase): AsyncGenerator<string> {
  if (!(await hasFiles(client))) return
  for (let after = ''; ;) {
    const { rows } = await client.query<{ name: string }>(
      'SELECT name FROM files WHERE name > $1 AND expires_at IS NULL ORDER BY name LIMIT 1000',
      [after],
    )
    for (const { name } of rows) yield name
    const last = rows.at(-1)
    if (!last) return
    after = last.name
  }
}

/** The names of all files that may be in the storage. */
export async function allFiles(client: ClientBase): Promise<string[]> {
  if (!(await hasFiles(client))) return []
  const { rows } = await client.query<{ name: string }>('SELECT name FROM files')
  return rows.map(({ name }) => name)
}

/** Files of a database that was replaced are deleted by the next sweep, unless the new one has them too. */
export async function expireFiles(client: ClientBase, names: readonly string[]): Promise<void> {
  if (names.length === 0) return
  await client.query(
    `INSERT INTO files (name, expires_at) SELECT name, now() FROM unnest($1::text[]) AS name ON CONFLICT DO NOTHING`,
    [names],
  )
}

/** A database that is not migrated yet has no such table. */
async function hasFiles(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ exists: boolean }>(`SELECT to_regclass('public.files') IS NOT NULL AS exists`)
  return rows[0]?.exists === true
}
