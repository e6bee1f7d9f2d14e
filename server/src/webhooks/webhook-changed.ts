import type { Tx } from '../operations/transaction.ts'

/** After the commit, workers look for what is due, and its owner's open portals are told. */
export function webhookChanged(tx: Tx, applicationId: string): void {
  tx.afterCommit(async () => {
    tx.services.applicationNotifier.notify(applicationId, 'webhook')
    tx.services.applicationNotifier.notify(applicationId, 'application')
    await tx.services.bus.publish('webhooks', applicationId)
  })
}
