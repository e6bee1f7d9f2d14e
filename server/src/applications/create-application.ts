import { LIMITS, type Application, type Input } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import { refuseTakenName } from '../accounts/account.ts'
import { lockAccount } from '../accounts/lock-account.ts'
import { signedIn } from '../accounts/sessions.ts'
import { insertBot } from '../accounts/write-account.ts'
import { newId } from '../operations/ids.ts'
import { cannot } from '../operations/refusal.ts'
import type { Tx } from '../operations/transaction.ts'
import { loadApplication } from './application.ts'
import { notifyOwner } from './notify-owner.ts'

export async function createApplication(tx: Tx, input: Input<typeof api.createApplication>): Promise<Application> {
  const owner = signedIn(tx)
  await refuseTooMany(tx, owner.id)
  const id = newId()
  const botId = newId()
  const name = input.name.trim()
  await refuseTakenName(tx.db, name)
  await insertBot(tx.db, botId, name)
  await tx.db.insertInto('applications').values({ id, name, owner_id: owner.id, bot_id: botId }).execute()
  notifyOwner(tx, id)
  tx.audit({ action: 'application.created', target: { id, name } })
  return loadApplication(tx, id)
}

async function refuseTooMany(tx: Tx, ownerId: string): Promise<void> {
  await lockAccount(tx, ownerId, 'alone')
  const { count } = await tx.db
    .selectFrom('applications')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('owner_id', '=', ownerId)
    .executeTakeFirstOrThrow()
  if (count >= LIMITS.applicationsOwned) {
    throw cannot(`You can own at most ${LIMITS.applicationsOwned} applications.`, 'too_many_applications')
  }
}
