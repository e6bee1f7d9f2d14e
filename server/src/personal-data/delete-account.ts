import type { AccountDeletion } from '@portico/contract'
import type * as api from '@portico/contract'
import { isLastAdministrator, lockAdministrators } from '../accounts/administrators.ts'
import { provePassword } from '../accounts/prove-password.ts'
import { deleteResetLink } from '../accounts/reset-link.ts'
import { endSessions, signedIn } from '../accounts/sessions.ts'
import type { WebsiteSignIns } from '../accounts/website-sign-ins.ts'
import { anonymizeAccount } from '../accounts/write-account.ts'
import { dropApplication } from '../applications/own-applications.ts'
import type { OwnTransactions } from '../operations/perform.ts'
import { leaveAllChannels } from '../members/leave-all-channels.ts'
import { deleteMemberTraces } from '../members/kicks.ts'
import { forgetInviter } from '../invitations/invitation.ts'
import { deleteIdempotencyKeys } from '../operations/idempotency.ts'
import { dropPicture } from '../pictures/keep-picture.ts'
import { dropUnsentUploads } from '../uploads/upload.ts'
import { cannot, Refusal } from '../operations/refusal.ts'
import { run, type Tx } from '../operations/transaction.ts'

/** Replaces the name of a deleted account. */
export const DELETED_NAME = 'Deleted account'

export async function getAccountDeletion(tx: Tx): Promise<AccountDeletion> {
  const { id } = signedIn(tx)
  const [ownedChannels, applications, lastAdministrator] = await Promise.all([
    ownedChannelsOf(tx, id),
    tx.db.selectFrom('applications').select(['id', 'name']).where('owner_id', '=', id).orderBy('name').execute(),
    isLastAdministrator(tx, id),
  ])
  return { ownedChannels, applications, lastAdministrator }
}

function ownedChannelsOf(tx: Tx, id: string): Promise<AccountDeletion['ownedChannels']> {
  const channels = tx.db.selectFrom('channels').select(['id', 'name']).where('owner_id', '=', id)
  return channels.where('deleted_at', 'is', null).orderBy('name').execute()
}

export const deleteAccount: OwnTransactions<typeof api.deleteAccount> = {
  ownTransactions: async (services, actor, { password }) => {
    if (actor.kind !== 'person') throw new Refusal('unauthorized')
    const passwordHash = await provePassword(services, actor.id, 'password', password)
    return run(services, actor, async (tx) => {
      await lockAdministrators(tx)
      await lockOwnAccount(tx, actor.id, passwordHash)
      await refuseWhatStandsInTheWay(tx)
      await dropEverything(tx, services.websiteSignIns, actor.id)
      tx.audit({ action: 'account.deleted', target: actor })
      tx.setSession(null)
      return null
    })
  },
}

/** Concurrent statements that reference the account wait for the deletion, and then fail. */
async function lockOwnAccount(tx: Tx, id: string, passwordHash: string): Promise<void> {
  const found = await tx.db
    .selectFrom('accounts')
    .select('id')
    .where('id', '=', id)
    .where('password_hash', '=', passwordHash)
    .forUpdate()
    .executeTakeFirst()
  if (!found) throw new Refusal('unauthorized')
}

async function refuseWhatStandsInTheWay(tx: Tx): Promise<void> {
  const { ownedChannels, lastAdministrator } = await getAccountDeletion(tx)
  if (ownedChannels.length > 0) {
    const names = ownedChannels.map(({ name }) => name).join(', ')
    throw cannot(`Transfer or delete the channels you own first: ${names}.`, 'owns_channels')
  }
  if (lastAdministrator) {
    throw cannot('You’re the last administrator. Make someone else an administrator first.', 'last_administrator')
  }
}

/** The row stays, because messages reference it; nothing in it identifies the person. */
async function dropEverything(tx: Tx, websiteSignIns: WebsiteSignIns, id: string): Promise<void> {
  const applications = await tx.db
    .selectFrom('applications')
    .select(['id', 'name', 'bot_id as botId'])
    .where('owner_id', '=', id)
    .execute()
  for (const application of applications) await dropApplication(tx, application)
  await leaveAllChannels(tx, id)
  await websiteSignIns.deleteConsents(tx.db, id)
  await deleteMemberTraces(tx, id)
  await deleteIdempotencyKeys(tx, id)
  await dropPicture(tx, { account_id: id })
  await dropUnsentUploads(tx.db, id)
  await forgetInviter(tx, id)
  await deleteResetLink(tx.db, id)
  await anonymizeAccount(tx.db, id, DELETED_NAME)
  await endSessions(tx, id, 'account_deleted')
}
