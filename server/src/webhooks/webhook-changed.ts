import type { Tx } from '../operations/transaction.ts'

/** After the commit, workers look for what is due, and its owner's open portals are told. */
export function webhookChanged(tx: Tx, applicationId: string): void {
  tx.afterCommit(async ({ applicationNotifier, bus }) => {
    applicationNotifier.notify(applicationId, 'webhook')
    applicationNotifier.notify(applicationId, 'application')
    await bus.publish('webhooks', applicationId)
  })
}
