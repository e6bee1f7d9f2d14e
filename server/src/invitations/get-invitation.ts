import type { Input, Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import type { Tx } from '../operations/transaction.ts'
import { invitationNotValid, isWorking } from './invitation.ts'

type Shown = Output<typeof api.getInvitation>

export async function getInvitation(tx: Tx, { code }: Input<typeof api.getInvitation>): Promise<Shown> {
  const { rows } = await sql<Shown>`
    SELECT i.code, i.expires_at AS "expiresAt", json_build_object(
      'id', c.id, 'name', c.name, 'description', c.description, 'memberCount', c.member_count) AS channel
    FROM invitations i JOIN channels c ON c.id = i.channel_id AND c.deleted_at IS NULL
    WHERE i.code = ${code} AND ${isWorking}`.execute(tx.db)
  if (!rows[0]) throw invitationNotValid()
  return rows[0]
}
