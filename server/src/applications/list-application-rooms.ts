import type { Input, Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import { signedIn } from '../accounts/sessions.ts'
import { roleIdsOfMember } from '../operations/roles-of-member.ts'
import type { Tx } from '../operations/transaction.ts'
import { requireOwnApplication } from './require-own-application.ts'

type Rooms = Output<typeof api.listApplicationRooms>['rooms']

/** Private rooms only if they admit the bot or the caller; none in a channel where neither is a member. */
export async function listApplicationRooms(
  tx: Tx,
  { applicationId, channelId }: Input<typeof api.listApplicationRooms>,
): Promise<{ rooms: Rooms }> {
  const { botId } = await requireOwnApplication(tx, applicationId)
  const lookers = [botId, signedIn(tx).id]
  const { rows } = await sql<Rooms[number]>`
    SELECT o.id, o.name, o.type, o.private FROM rooms o JOIN channels c ON c.id = o.channel_id AND c.deleted_at IS NULL
    WHERE o.channel_id = ${channelId}::uuid AND EXISTS (
      SELECT FROM members m
      WHERE m.channel_id = o.channel_id AND m.account_id = ANY (${lookers}::uuid[]) AND (
        NOT o.private OR c.owner_id = m.account_id OR EXISTS (
          SELECT FROM room_admissions a
          WHERE a.room_id = o.id AND (a.account_id = m.account_id OR a.role_id = ANY (${roleIdsOfMember})))))
    ORDER BY o.sort, o.id`.execute(tx.db)
  return { rooms: rows }
}
