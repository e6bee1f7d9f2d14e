import type { Input, ManagedPerson, Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import { isLastAdministrator, lockAdministrators } from '../accounts/administrators.ts'
import { hashPassword } from '../accounts/password.ts'
import { revokeAccess } from '../accounts/revoke-access.ts'
import { endSessions } from '../accounts/sessions.ts'
import { forgetFailuresOf } from '../accounts/sign-in-throttle.ts'
import { setAccountStatus, setPasswordHash } from '../accounts/write-account.ts'
import { followOwner } from '../applications/follow-owner.ts'
import { changesOf } from '../operations/changes-of.ts'
import type { OwnTransactions } from '../operations/perform.ts'
import { cannot } from '../operations/refusal.ts'
import type { Services } from '../operations/services.ts'
import { run, type Tx } from '../operations/transaction.ts'
import { endAllVoiceSessions } from '../voice/voice-session.ts'
import { pageOf, rowOf, type List } from './page-of.ts'

export async function listPeople(tx: Tx, input: Input<typeof api.listPeople>): Promise<Output<typeof api.listPeople>> {
  const { rows, hasMore } = await pageOf(tx, input, PEOPLE)
  return { people: rows, hasMore }
}

/** Serializes administrators who change the same person, or each other. */
export async function updatePerson(
  tx: Tx,
  input: Input<typeof api.updatePerson>,
  _place: undefined,
  { webhooks, websiteSignIns }: Pick<Services, 'webhooks' | 'websiteSignIns'>,
): Promise<ManagedPerson> {
  await lockAdministrators(tx)
  const before = await loadPerson(tx, input.personId)
  const { isAdministrator, disabled } = input
  const changes = changesOf(
    { isAdministrator: before.isAdministrator, disabled: before.disabledAt !== null },
    { isAdministrator, disabled },
  )
  if (Object.keys(changes).length === 0) return before
  const steps = changes['isAdministrator']?.to === false || changes['disabled']?.to === true
  if (steps && (await isLastAdministrator(tx, before.id))) {
    throw cannot('This is the last administrator. Make someone else an administrator first.', 'last_administrator')
  }

  await setAccountStatus(tx.db, before.id, {
    ...('isAdministrator' in changes && { isAdministrator }),
    ...('disabled' in changes && { disabled }),
  })
  if (changes['disabled']?.to === true) {
    await revokeAccess(tx.db, websiteSignIns, before.id, { reason: 'account_disabled' })
    await endAllVoiceSessions(tx, before.id)
  }
  if ('disabled' in changes) await followOwner(tx, webhooks, before.id)
  tx.audit({ action: 'account.updated', target: before, details: changes })
  return loadPerson(tx, before.id)
}

export async function endSessionsOfPerson(tx: Tx, input: Input<typeof api.endSessionsOfPerson>): Promise<null> {
  const person = await loadPerson(tx, input.personId)
  await endSessions(tx, person.id, 'signed_out_by_administrator')
  tx.audit({ action: 'account.signed_out', target: person })
  return null
}

export const setPasswordOfPerson: OwnTransactions<typeof api.setPasswordOfPerson> = {
  ownTransactions: async (services, actor, { personId, newPassword }) => {
    const passwordHash = await hashPassword(newPassword)
    return run(services, actor, async (tx) => {
      const person = await loadPerson(tx, personId)
      await setPasswordHash(tx.db, person.id, passwordHash)
      await revokeAccess(tx.db, services.websiteSignIns, person.id, { reason: 'password_set_by_administrator' })
      await forgetFailuresOf(tx.db, person.name)
      tx.audit({ action: 'account.password_set', target: person })
      return null
    })
  },
}

export async function loadPerson(tx: Tx, id: string): Promise<ManagedPerson> {
  const person = await rowOf(tx, id, PEOPLE)
  if (!person) throw cannot('There’s no such person.', 'no_such_person')
  return person
}

const PEOPLE: List<ManagedPerson> = {
  table: 'accounts',
  columns: sql`t.id, t.name, t.avatar, t.avatar_version AS "avatarVersion", t.is_administrator AS "isAdministrator",
    t.disabled_at AS "disabledAt", t.created_at AS "createdAt",
    (SELECT max(s.last_used_at) FROM sessions s WHERE s.account_id = t.id) AS "lastSeenAt",
    (SELECT count(*) FROM members m WHERE m.account_id = t.id)::int AS channels,
    (SELECT count(*) FROM applications p WHERE p.owner_id = t.id)::int AS applications`,
  where: sql`t.kind = 'person' AND t.deleted_at IS NULL`,
}
