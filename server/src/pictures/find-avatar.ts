import { initialsOf, tileLettersOf } from '@portico/contract/initials'
import { sql, type Kysely } from 'kysely'
import type { Tables } from '../db/tables.ts'
import { initialsPicture } from './initials-picture.ts'

export interface Avatar {
  readonly type: 'image/svg+xml' | 'image/webp'
  /** The name of a stored file is opened by the caller, who may not need the content. */
  readonly content: string | Buffer | { readonly file: string }
  readonly version: number
}

const FILE = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.(svg|webp)$/

/** The picture of a person, bot or channel: an uploaded one, or generated initials. */
export async function findAvatar(db: Kysely<Tables>, file: string): Promise<Avatar | undefined> {
  const [, id = '', kind] = FILE.exec(file) ?? []
  if (kind === 'svg') return drawnAvatar(db, id)
  return kind === 'webp' ? uploadedAvatar(db, id) : undefined
}

async function drawnAvatar(db: Kysely<Tables>, id: string): Promise<Avatar | undefined> {
  const { rows } = await sql<{ name: string; version: number; isChannel: boolean }>`
    SELECT name, avatar_version AS version, false AS "isChannel" FROM accounts WHERE id = ${id}::uuid
    UNION ALL SELECT name, avatar_version, true FROM channels WHERE id = ${id}::uuid AND deleted_at IS NULL`.execute(db)
  const [found] = rows
  if (!found) return undefined
  const initials = found.isChannel ? tileLettersOf(found.name) : initialsOf(found.name)
  return { type: 'image/svg+xml', content: initialsPicture(id, initials), version: found.version }
}

async function uploadedAvatar(db: Kysely<Tables>, id: string): Promise<Avatar | undefined> {
  const { rows } = await sql<{ webp: Buffer | null; file: string; version: number }>`
    SELECT p.webp, p.file, a.avatar_version AS version
    FROM pictures p JOIN accounts a ON a.id = p.account_id WHERE p.account_id = ${id}::uuid
    UNION ALL
    SELECT p.webp, p.file, c.avatar_version
    FROM pictures p JOIN channels c ON c.id = p.channel_id WHERE p.channel_id = ${id}::uuid`.execute(db)
  const [found] = rows
  if (!found) return undefined
  // A row that is not moved yet, or was written by a node of the previous release, is the newer one.
  return { type: 'image/webp', content: found.webp ?? { file: found.file }, version: found.version }
}
