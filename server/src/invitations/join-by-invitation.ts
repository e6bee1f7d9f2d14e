import { sql } from 'kysely'
import { lockChannel } from '../operations/lock-channel.ts'
import { addMember } from '../members/add-member.ts'
import type { Tx } from '../operations/transaction.ts'
import { auditedInvitation, invitationNotValid, isWorking } from './invitation.ts'

interface Row {
  readonly id: string
  readonly code: string
  readonly works: boolean
  readonly joined: boolean
  readonly name: string
}

/**
 * Adds an account to the channel of an invitation, also after a kick, and returns the channel's id. An existing member
 * uses nothing up: following a link twice is no mistake.
 */
export async function joinByInvitation(tx: Tx, accountId: string, code: string): Promise<string> {
  const found = await tx.db
    .selectFrom('invitations')
    .select('channel_id as channelId')
    .where('code', '=', code)
    .executeTakeFirst()
  if (!found) throw invitationNotValid()
  const { channelId } = found

  await lockChannel(tx, channelId)
  // A kicked member can't come back through a link of their own.
  const { rows } = await sql<Row>`
    SELECT i.id, i.code, a.name,
      ${isWorking} AND NOT (i.created_by IS NOT DISTINCT FROM a.id AND EXISTS (
        SELECT FROM kicks k WHERE k.channel_id = i.channel_id AND k.account_id = a.id)) AS works,
      EXISTS (SELECT FROM members m WHERE m.channel_id = i.channel_id AND m.account_id = a.id) AS joined
    FROM invitations i JOIN channels c ON c.id = i.channel_id AND c.deleted_at IS NULL
    JOIN accounts a ON a.id = ${accountId}::uuid
    WHERE i.code = ${code}`.execute(tx.db)
  const invitation = rows[0]
  if (invitation?.joined) return channelId
  if (!invitation?.works) throw invitationNotValid()

  await addMember(tx, { channelId, accountId, role: 'CHANNEL_MEMBER' })
  await tx.db
    .updateTable('invitations')
    .set((eb) => ({ uses: eb('uses', '+', 1) }))
    .where('id', '=', invitation.id)
    .execute()
  tx.audit({
    action: 'member.joined',
    channelId,
    target: { id: accountId, name: invitation.name },
    details: { invitation: auditedInvitation(invitation).name },
  })
  return channelId
}
