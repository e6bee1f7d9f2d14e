import { deleteDatabase } from '#storage/local-database.ts'

/** Where the last rooms read are stored, for pages without a connection. */
export const OFFLINE_DATABASE = 'portico.offline'

/** Removes the last rooms read: the session has ended, and nobody can read them without signing in. */
export function forgetCopy(): Promise<void> {
  return deleteDatabase(OFFLINE_DATABASE)
}
