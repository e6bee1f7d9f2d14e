import type { Application, Input } from '@portico/contract'
import type * as api from '@portico/contract'
import type { Tx } from '../operations/transaction.ts'
import { loadApplication } from './application.ts'
import { notifyOwner } from './notify-owner.ts'

export async function setApplicationLimits(
  tx: Tx,
  input: Input<typeof api.setApplicationLimits>,
): Promise<Application> {
  const { applicationId, requests, writes } = input
  await tx.db
    .updateTable('applications')
    .set({ request_limit: requests, write_limit: writes })
    .where('id', '=', applicationId)
    .execute()
  const application = await loadApplication(tx, applicationId)
  notifyOwner(tx, applicationId, 'application', 'usage')
  tx.audit({ action: 'application.limits_changed', target: application, details: { requests, writes } })
  return application
}
