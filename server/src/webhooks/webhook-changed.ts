import type { Tx } from '../operations/transaction.ts'

/** After the commit, wakes the workers and notifies the owner's open portals. */
export function webhookChanged(tx: Tx, applicationId: string): void {
  tx.afterCommit(async ({ applicationNotifier, bus }) => {
    applicationNotifier.notify(applicationId, 'webhook')
    applicationNotifier.notify(applicationId, 'application')
    await bus.publish('webhooks', applicationId)
  })
}
