import { applicationInstalled, type Input, type Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import { addMember } from '../members/add-member.ts'
import type { ChannelPlace } from '../operations/authorize.ts'
import { loadMemberBelow } from '../members/load-member.ts'
import { removeMember } from '../members/remove-member.ts'
import { changeMemberRoles } from '../members/set-member-roles.ts'
import { cannot } from '../operations/refusal.ts'
import { roleIdsOfMember } from '../operations/roles-of-member.ts'
import { topRole } from '../roles/top-role.ts'
import { loadRoles } from '../roles/load-roles.ts'
import type { Tx } from '../operations/transaction.ts'

type Installation = Output<typeof api.installApplication>
type Card = Output<typeof api.getApplicationCard>

export async function getApplicationCard(tx: Tx, input: Input<typeof api.getApplicationCard>): Promise<Card> {
  const { rows } = await sql<{ card: Card }>`
    SELECT ${card} AS card FROM applications p WHERE p.id = ${input.applicationId}::uuid`.execute(tx.db)
  if (!rows[0]) throw cannot('There’s no such application.', 'no_such_application')
  return rows[0].card
}

export async function listInstallations(
  tx: Tx,
  _input: Input<typeof api.listInstallations>,
  channel: ChannelPlace,
): Promise<Output<typeof api.listInstallations>> {
  return { installations: await loadInstallations(tx, channel.channelId) }
}

export async function installApplication(
  tx: Tx,
  { applicationId, roleId }: Input<typeof api.installApplication>,
  channel: ChannelPlace,
): Promise<Installation> {
  const { channelId } = channel
  // Locked: a concurrent deletion would leave a member without an application.
  await tx.db.selectFrom('applications').select('id').where('id', '=', applicationId).forKeyShare().execute()
  const { bot, name: applicationName } = await getApplicationCard(tx, { applicationId })
  const target = { id: applicationId, name: applicationName }
  const isNew = await addMember(tx, { channelId, accountId: bot.id, role: 'CHANNEL_BOT', isBot: true })
  if (isNew) {
    tx.audit({ action: 'application.installed', channelId, target })
  }
  if (roleId !== undefined) await giveRole(tx, channel, bot.id, roleId)
  const [installation] = await loadInstallations(tx, channelId, applicationId)
  if (!installation) throw new Error('an application that was just installed is not there')
  if (isNew) {
    const { systemName, name } = installation.role
    const data = { channel: { id: channelId, name: channel.channelName }, role: { systemName, name } }
    tx.emit(applicationInstalled, { channelId }, data, { actorId: null, onlyFor: bot.id })
  }
  return installation
}

/** A default role replaces CHANNEL_BOT; a custom role is added to it. */
async function giveRole(tx: Tx, channel: ChannelPlace, botId: string, roleId: string): Promise<void> {
  const { channelId } = channel
  const [role] = await loadRoles(tx, channelId, [roleId])
  const base = await tx.db
    .selectFrom('roles')
    .select('id')
    .where('channel_id', '=', channelId)
    .where('system_name', '=', 'CHANNEL_BOT')
    .executeTakeFirstOrThrow()
  const roleIds = role?.systemName === 'CUSTOM' ? [base.id, roleId] : [roleId]
  await changeMemberRoles(tx, { channelId, userId: botId, roleIds }, channel)
}

export async function removeApplication(
  tx: Tx,
  { applicationId }: Input<typeof api.removeApplication>,
  channel: ChannelPlace,
): Promise<null> {
  const { channelId } = channel
  const { bot, name } = await getApplicationCard(tx, { applicationId })
  await loadMemberBelow(tx, channel, bot.id)
  await removeMember(tx, channelId, bot.id)
  tx.audit({ action: 'application.removed', channelId, target: { id: applicationId, name } })
  return null
}

interface OwnedApplications {
  readonly ownerId: string
  readonly keepBots: readonly string[]
  readonly reason: string | undefined
}

/**
 * Removes the applications of a banned person from a channel, also those that rank above the actor: their owner doesn't.
 * Returns the names of the bots that stay.
 */
export async function removeApplicationsOf(
  tx: Tx,
  channelId: string,
  { ownerId, keepBots, reason }: OwnedApplications,
): Promise<string[]> {
  const owned = await tx.db
    .selectFrom('applications as p')
    .innerJoin('members as m', 'm.account_id', 'p.bot_id')
    .innerJoin('accounts as b', 'b.id', 'p.bot_id')
    .select(['p.id', 'p.name', 'p.bot_id as botId', 'b.name as botName'])
    .where('p.owner_id', '=', ownerId)
    .where('m.channel_id', '=', channelId)
    .orderBy('b.name')
    .orderBy('b.id')
    .execute()
  const kept = new Set(keepBots.map((id) => id.toLowerCase()))
  if ([...kept].some((id) => !owned.some(({ botId }) => botId === id))) {
    throw cannot('A bot to keep isn’t one of this person’s bots in this channel.', 'not_a_member')
  }
  const staying: string[] = []
  for (const { id, name, botId, botName } of owned) {
    if (kept.has(botId)) {
      staying.push(botName)
      continue
    }
    await removeMember(tx, channelId, botId)
    const details = { ownerBanned: true }
    tx.audit({ action: 'application.removed', channelId, target: { id, name }, reason, details })
  }
  return staying
}

/** The applications whose bots are members of a channel. */
export async function applicationsOn(tx: Tx, channelId: string): Promise<string[]> {
  const rows = await tx.db
    .selectFrom('members as m')
    .innerJoin('applications as p', 'p.bot_id', 'm.account_id')
    .select('p.id')
    .where('m.channel_id', '=', channelId)
    .where('m.is_bot', '=', true)
    .execute()
  return rows.map(({ id }) => id)
}

async function loadInstallations(tx: Tx, channelId: string, applicationId?: string): Promise<Installation[]> {
  const { rows } = await sql<Installation>`
    SELECT ${card} AS application, ${topRole} AS role, m.joined_at AS "installedAt",
      (SELECT t.id FROM roles t WHERE t.id = ANY (${roleIdsOfMember}) ORDER BY t.rank DESC LIMIT 1) AS "roleId"
    FROM members m JOIN applications p ON p.bot_id = m.account_id
    WHERE m.channel_id = ${channelId}::uuid AND m.is_bot
      AND (${applicationId ?? null}::uuid IS NULL OR p.id = ${applicationId ?? null}::uuid)
    ORDER BY p.name, p.id`.execute(tx.db)
  return rows
}

/** The application `p` of the surrounding statement, as shown to someone who decides whether to install it. */
const card = sql`json_build_object('id', p.id, 'name', p.name,
  'owner', (SELECT json_build_object('id', o.id, 'name', o.name) FROM accounts o WHERE o.id = p.owner_id),
  'bot', (SELECT json_build_object('id', b.id, 'name', b.name, 'avatar', b.avatar, 'avatarVersion', b.avatar_version)
    FROM accounts b WHERE b.id = p.bot_id),
  'scopes', coalesce((SELECT to_json(k.scopes) FROM application_keys k WHERE k.application_id = p.id), '[]'),
  'commands', coalesce((SELECT json_agg(json_build_object('name', c.name, 'description', c.description, 'usage', c.usage,
    'position', c.position) ORDER BY c.position) FROM commands c WHERE c.application_id = p.id), '[]'))`
