import type { Pool } from 'pg'
import { batch } from './batch.ts'

/** Undefined while a change is under way: what is read then may have no version. */
export type ReadVersion = () => Promise<number | undefined>

/**
 * Reads the version of all that decides about requests. Every change raises it before its commit, whichever node makes it
 * (`0018_access_version.sql`), so as long as it is the same nothing has changed. Calls share a statement, and each gets the
 * answer to a question that was sent after it.
 */
export function accessVersion(pool: Pool): ReadVersion {
  let known: number | null = null
  const read = batch<undefined, number | undefined>(Infinity, async (pending) => {
    const { rows } = await pool.query<{ version: number | null }>({ ...READ, values: [known] })
    const version = rows[0]?.version ?? undefined
    if (version !== undefined) known = version
    for (const { resolve } of pending) resolve(version)
  })
  return () => read(undefined)
}

const READ = { name: 'access_version', text: 'SELECT settled_access_version($1) AS version' }
