import { applicationDeleted, type Application, type Input, type Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { refuseTakenName } from '../accounts/account.ts'
import { signedIn } from '../accounts/sessions.ts'
import { renameBot } from '../accounts/write-account.ts'
import { changesOf } from '../operations/changes-of.ts'
import { publishToPerson } from '../events/ephemeral.ts'
import { leaveAllChannels } from '../members/leave-all-channels.ts'
import { refuseAlikeInChannel } from '../members/names-in-channel.ts'
import { publishMemberChanged } from '../members/publish-member-changed.ts'
import { cannot } from '../operations/refusal.ts'
import type { Tx } from '../operations/transaction.ts'
import { loadApplication, loadApplications, lockOwnApplication, noSuchApplication } from './application.ts'
import { notifyOwner } from './notify-owner.ts'

export async function listApplications(tx: Tx): Promise<Output<typeof api.listApplications>> {
  return { applications: await loadApplications(tx, { ownerId: signedIn(tx).id }) }
}

export async function getApplication(tx: Tx, input: Input<typeof api.getApplication>): Promise<Application> {
  const application = await loadApplication(tx, input.applicationId)
  if (application.owner.id !== signedIn(tx).id) throw noSuchApplication()
  return application
}

export async function updateApplication(tx: Tx, input: Input<typeof api.updateApplication>): Promise<Application> {
  const application = await lockOwnApplication(tx, input.applicationId)
  const name = input.name?.trim()
  const changes = changesOf({ name: application.name }, { name })
  if (name !== undefined && changes['name']) {
    await refuseTakenName(tx.db, name)
    await refuseAlikeInChannel(tx, { accountId: application.botId, name })
    await tx.db.updateTable('applications').set({ name }).where('id', '=', application.id).execute()
    await renameBot(tx.db, application.botId, name)
    await publishMemberChanged(tx, application.botId)
    notifyOwner(tx, application.id)
    tx.audit({ action: 'application.updated', target: application, details: changes })
  }
  return loadApplication(tx, application.id)
}

/** Keeps the bot's account for its messages and deletes everything else. */
export async function deleteApplication(tx: Tx, input: Input<typeof api.deleteApplication>): Promise<null> {
  const application = await lockOwnApplication(tx, input.applicationId)
  if (input.name !== application.name) throw cannot('That isn’t the application’s name.', 'wrong_name')
  await dropApplication(tx, application)
  const { id: ownerId } = signedIn(tx)
  tx.afterCommit(({ bus }) =>
    publishToPerson(bus, ownerId, applicationDeleted, null, { applicationId: application.id }),
  )
  return null
}

export async function dropApplication(tx: Tx, application: { id: string; name: string; botId: string }): Promise<void> {
  await leaveAllChannels(tx, application.botId)
  await tx.db.deleteFrom('applications').where('id', '=', application.id).execute()
  tx.afterCommit(({ bus }) => bus.publish('keys', application.botId))
  tx.audit({ action: 'application.deleted', target: application })
}
