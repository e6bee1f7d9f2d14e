import type { Application, Input } from '@portico/contract'
import type * as api from '@portico/contract'
import { showInitials, showPicture } from '../profile/account-picture.ts'
import type { Tx } from '../operations/transaction.ts'
import { loadApplication, lockOwnApplication } from './application.ts'
import { notifyOwner } from './notify-owner.ts'

export async function setApplicationPicture(
  tx: Tx,
  input: Input<typeof api.setApplicationPicture> & { picture: string },
): Promise<Application> {
  const application = await lockOwnApplication(tx, input.applicationId)
  await showPicture(tx, application.botId, input.picture)
  notifyOwner(tx, application.id)
  tx.audit({ action: 'application.picture_set', target: application })
  return loadApplication(tx, application.id)
}

export async function removeApplicationPicture(
  tx: Tx,
  input: Input<typeof api.removeApplicationPicture>,
): Promise<Application> {
  const application = await lockOwnApplication(tx, input.applicationId)
  if (await showInitials(tx, application.botId)) {
    notifyOwner(tx, application.id)
    tx.audit({ action: 'application.picture_removed', target: application })
  }
  return loadApplication(tx, application.id)
}
