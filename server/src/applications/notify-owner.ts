import type { ApplicationSubject } from '@portico/contract'
import type { Tx } from '../operations/transaction.ts'

/** After the commit, notifies the owner's open portals of the changed subjects; by default the application itself. */
export function notifyOwner(tx: Tx, applicationId: string, ...subjects: ApplicationSubject[]): void {
  const changed = subjects.length > 0 ? subjects : (['application'] as const)
  tx.afterCommit(async ({ applicationNotifier }) => {
    for (const subject of changed) applicationNotifier.notify(applicationId, subject)
  })
}
