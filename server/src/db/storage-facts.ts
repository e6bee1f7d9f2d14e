import { statfs } from 'node:fs/promises'
import { sql, type Kysely } from 'kysely'
import type { Tables } from './tables.ts'

export interface StorageFacts {
  /** Of the disk with the data folder: the embedded database and, unless they are in a bucket, the files. */
  readonly diskFreeBytes: number
  readonly diskBytes: number
  /** What PostgreSQL keeps of its write-ahead log; null if its user may not know. */
  readonly walBytes: number | null
  readonly lastBackupAt: string | null
}

/** What an operator watches before something is full or lost. */
export async function storageFacts(db: Kysely<Tables>, dataFolder: string): Promise<StorageFacts> {
  const { bavail, blocks, bsize } = await statfs(dataFolder)
  const { rows } = await sql<{ lastBackupAt: string | null; mayListWal: boolean }>`
    SELECT last_backup_at AS "lastBackupAt", has_function_privilege('pg_ls_waldir()', 'execute') AS "mayListWal"
    FROM instance`.execute(db)
  const [facts] = rows
  return {
    diskFreeBytes: bavail * bsize,
    diskBytes: blocks * bsize,
    walBytes: facts?.mayListWal ? await walBytes(db) : null,
    lastBackupAt: facts?.lastBackupAt ?? null,
  }
}

async function walBytes(db: Kysely<Tables>): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    SELECT coalesce(sum(size), 0)::bigint AS bytes FROM pg_ls_waldir()`.execute(db)
  return rows[0]?.bytes ?? 0
}
