import { LIMITS, type Input, type Output, type SessionEndReason } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import { Refusal, cannot } from '../operations/refusal.ts'
import type { Person } from '../operations/actor.ts'
import type { Tx } from '../operations/transaction.ts'
import { loadAccount } from './account.ts'
import { deleteSessions } from './delete-sessions.ts'

export async function getSession(tx: Tx): Promise<NonNullable<Output<typeof api.getSession>>> {
  const person = signedIn(tx)
  const account = await loadAccount(tx.db, person.id)
  return { account, sessionId: person.sessionId }
}

export async function listSessions(tx: Tx): Promise<Output<typeof api.listSessions>> {
  const { id, sessionId } = signedIn(tx)
  const sessions = await tx.db
    .selectFrom('sessions')
    .select(['id', 'device', 'address', 'created_at as createdAt', 'last_used_at as lastUsedAt'])
    .select(sql<boolean>`id = ${sessionId}`.as('current'))
    .where('account_id', '=', id)
    .where('last_used_at', '>', sql<string>`now() - make_interval(secs => ${LIMITS.sessionLife})`)
    .orderBy('last_used_at', 'desc')
    .execute()
  return { sessions }
}

/** There is nothing to explain later to someone who signs out. */
export async function signOut(tx: Tx): Promise<null> {
  const { id, sessionId } = signedIn(tx)
  await tx.db.deleteFrom('sessions').where('id', '=', sessionId).execute()
  publishSessionsEnded(tx, id)
  tx.setSession(null)
  return null
}

export async function endSession(tx: Tx, input: Input<typeof api.endSession>): Promise<null> {
  const { id, sessionId } = signedIn(tx)
  if (input.sessionId.toLowerCase() === sessionId) return signOut(tx)
  const ended = await deleteSessions(tx.db, id, 'revoked', sql`id = ${input.sessionId}::uuid`)
  if (ended === 0) throw cannot('This session has already ended.', 'no_such_session')
  publishSessionsEnded(tx, id)
  return null
}

export async function signOutEverywhere(tx: Tx): Promise<null> {
  await endOtherSessions(tx)
  return null
}

export async function endOtherSessions(tx: Tx): Promise<void> {
  const { id, sessionId } = signedIn(tx)
  await deleteSessions(tx.db, id, 'signed_out_everywhere', sql`id <> ${sessionId}::uuid`)
  publishSessionsEnded(tx, id)
}

/** Closes the open sockets of ended sessions, in every process. */
export function publishSessionsEnded(tx: Tx, accountId: string): void {
  tx.afterCommit(({ bus }) => bus.publish('sessions', accountId))
}

/** Signs an account out everywhere. */
export async function endSessions(tx: Tx, accountId: string, reason: SessionEndReason): Promise<void> {
  await deleteSessions(tx.db, accountId, reason)
  publishSessionsEnded(tx, accountId)
}

/** The signed-in person, in an operation that only people can call. */
export function signedIn(tx: Tx): Person {
  if (tx.actor.kind !== 'person') throw new Refusal('unauthorized')
  return tx.actor
}
