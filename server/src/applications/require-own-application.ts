import { signedIn } from '../accounts/sessions.ts'
import type { Tx } from '../operations/transaction.ts'
import { noSuchApplication } from './application.ts'

/** The caller's own application, for operations that only read. */
export async function requireOwnApplication(tx: Tx, id: string): Promise<{ id: string; name: string; botId: string }> {
  const application = await tx.db
    .selectFrom('applications')
    .select(['id', 'name', 'bot_id as botId'])
    .where('id', '=', id)
    .where('owner_id', '=', signedIn(tx).id)
    .executeTakeFirst()
  if (!application) throw noSuchApplication()
  return application
}
