import type { AuditEntry, Input, Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import { signedIn } from '../accounts/sessions.ts'
import type { ChannelPlace } from '../operations/authorize.ts'
import { isSeenBy } from '../operations/is-seen-by.ts'
import type { Tx } from '../operations/transaction.ts'

type Page = Output<typeof api.listInstanceAudit>

/** The first words of the actions about each subject of the portal's log. */
const WORDS = {
  account: ['account', 'administrator'],
  application: ['application', 'key', 'oauth', 'webhook'],
  channel: ['channel'],
  instance: ['instance'],
} as const

export async function listInstanceAudit(tx: Tx, input: Input<typeof api.listInstanceAudit>): Promise<Page> {
  const { subject, ...page } = input
  return auditPage(tx, undefined, { ...page, ...(subject && { about: WORDS[subject] }) })
}

export async function listChannelAudit(
  tx: Tx,
  input: Input<typeof api.listChannelAudit>,
  channel: ChannelPlace,
): Promise<Page> {
  const { subject, ...page } = input
  // Sorting concerns many rooms or roles, so the action is plural: `rooms.sorted`.
  return auditPage(tx, channel, { ...page, ...(subject && { about: [subject, `${subject}s`] }) })
}

interface PageRequest extends Omit<Input<typeof api.listChannelAudit>, 'channelId' | 'subject'> {
  readonly about?: readonly string[]
}

/**
 * Whether the caller sees every room that the entry `l` names. A deleted room counts as it was when it was deleted.
 */
function namesOnlySeenRooms(tx: Tx, channel: ChannelPlace) {
  if (signedIn(tx).id === channel.ownerId) return sql.lit(true)
  const ids = [signedIn(tx).id, ...channel.roles.map(({ id }) => id)]
  return sql<boolean>`NOT EXISTS (
    SELECT FROM unnest(l.room_ids) AS named (id)
    LEFT JOIN rooms o ON o.id = named.id
    LEFT JOIN deleted_private_rooms d ON d.room_id = named.id
    WHERE CASE WHEN o.id IS NULL THEN NOT d.admitted && ${ids}::uuid[] ELSE NOT ${isSeenBy(tx.actor, channel)} END)`
}

async function auditPage(
  tx: Tx,
  channel: ChannelPlace | undefined,
  { beforeId, limit = 50, about, actorId, targetId }: PageRequest,
): Promise<Page> {
  const rows = await tx.db
    .selectFrom('audit_log as l')
    .select(['id', 'action', 'actor_id', 'actor_name', 'target_id as targetId', 'target_name as targetName'])
    .select(['reason', 'details', 'created_at as createdAt'])
    .select([isBot('l.actor_id').as('actorIsBot'), isBot('l.target_id').as('targetIsBot')])
    // In an order that only one index has: by id alone, the entries of all other channels might be read.
    .$if(channel === undefined, (query) => query.where('channel_id', 'is', null))
    .$if(channel !== undefined, (query) =>
      query.where(sql`channel_id`, '=', sql`ANY (ARRAY[${channel?.channelId}::uuid])`).orderBy('channel_id'),
    )
    .where(channel ? namesOnlySeenRooms(tx, channel) : sql.lit(true))
    .$if(beforeId !== undefined, (query) => query.where('id', '<', beforeId ?? ''))
    .$if(about !== undefined, (query) => query.where(sql`split_part(action, '.', 1)`, 'in', about ?? []))
    .$if(actorId !== undefined, (query) => query.where('actor_id', '=', actorId ?? ''))
    .$if(targetId !== undefined, (query) => query.where('target_id', '=', targetId ?? ''))
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  const entries = rows.slice(0, limit).map(({ actor_id, actor_name, actorIsBot, targetIsBot, ...row }): AuditEntry => {
    const actor =
      actor_id === null ? null : { id: actor_id, name: actor_name ?? '', ...(actorIsBot && { isBot: actorIsBot }) }
    return { ...row, actor, ...(targetIsBot && { targetIsBot }), details: row.details as Record<string, unknown> }
  })
  return { entries, hasMore: rows.length > limit }
}

function isBot(account: 'l.actor_id' | 'l.target_id') {
  return sql<boolean | null>`(SELECT a.kind = 'bot' FROM accounts a WHERE a.id = ${sql.ref(account)})`
}
