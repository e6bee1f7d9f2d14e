import type { Tx } from '../operations/transaction.ts'

/** After the commit, workers look for what is due, and its owner's open portals are told. */
export function webhookChanged(tx: Tx, applicationId: string): void {
  tx.afterCommit(async () => {
    tx.parts.applicationNews.note(applicationId, 'webhook')
    tx.parts.applicationNews.note(applicationId, 'application')
    await tx.parts.bus.tell('webhooks', applicationId)
  })
}
