import type { Input, InstallPlace, RoleTitle } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import { signedIn } from '../accounts/sessions.ts'
import type { Actor } from '../operations/actor.ts'
import { authorize, type RoleFacts } from '../operations/authorize.ts'
import { Refusal } from '../operations/refusal.ts'
import { mayGive } from '../roles/load-roles.ts'
import { roleFacts } from '../operations/roles-of-member.ts'
import { topRole } from '../roles/top-role.ts'
import type { Services } from '../operations/services.ts'
import type { Tx } from '../operations/transaction.ts'
import { getApplicationCard } from './installations.ts'

interface Row {
  channel: InstallPlace['channel']
  roles: RoleFacts[]
  installedAs: RoleTitle | null
}

/** Uses the checks of the installation itself: the right in the channel, and the role to give. */
export async function listInstallPlaces(
  tx: Tx,
  { applicationId }: Input<typeof api.listInstallPlaces>,
  _place: undefined,
  services: Pick<Services, 'database'>,
): Promise<{ places: InstallPlace[] }> {
  const { bot } = await getApplicationCard(tx, { applicationId })
  const { rows } = await sql<Row>`
    SELECT json_build_object('id', c.id, 'name', c.name, 'image', c.image, 'avatarVersion', c.avatar_version) AS channel,
      (SELECT ${roleFacts} FROM roles WHERE channel_id = c.id) AS roles,
      (SELECT ${topRole} FROM members m WHERE m.channel_id = c.id AND m.account_id = ${bot.id}::uuid) AS "installedAs"
    FROM members o JOIN channels c ON c.id = o.channel_id AND c.deleted_at IS NULL
    WHERE o.account_id = ${signedIn(tx).id}::uuid
    ORDER BY o.joined_at, c.id`.execute(tx.db)
  const places = await Promise.all(rows.map((row) => placeOf(services, tx.actor, row)))
  return { places: places.filter((place) => place !== undefined) }
}

async function placeOf(
  services: Pick<Services, 'database'>,
  actor: Actor,
  { channel, roles, installedAs }: Row,
): Promise<InstallPlace | undefined> {
  try {
    const place = await authorize(services, actor, { channelId: channel.id }, { right: 'manage_bots' })
    const given = roles.filter((role) => role.systemName === 'CHANNEL_BOT' || mayGive(place, role))
    return {
      channel,
      roles: given.map(({ id, systemName, name, rights }) => ({ id, systemName, name, rights: [...rights] })),
      installedAs,
    }
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}
