import type { AuditEntry, Input, Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import type { ChannelPlace } from '../members/access.ts'
import type { Tx } from '../transaction.ts'

type Page = Output<typeof api.listInstanceAudit>

/** The first words of the actions about each subject of the portal's log. */
const WORDS = {
  account: ['account', 'administrator'],
  application: ['application', 'key', 'oauth', 'webhook'],
  channel: ['channel'],
  instance: ['instance'],
} as const

export async function listInstanceAudit(tx: Tx, input: Input<typeof api.listInstanceAudit>): Promise<Page> {
  const { subject, ...asked } = input
  return auditPage(tx, null, { ...asked, ...(subject && { about: WORDS[subject] }) })
}

export async function listChannelAudit(
  tx: Tx,
  input: Input<typeof api.listChannelAudit>,
  channel: ChannelPlace,
): Promise<Page> {
  const { subject, ...asked } = input
  // The order of rooms and of roles is about many of them: `rooms.sorted`.
  return auditPage(tx, channel.channelId, { ...asked, ...(subject && { about: [subject, `${subject}s`] }) })
}

interface Asked extends Omit<Input<typeof api.listChannelAudit>, 'channelId' | 'subject'> {
  readonly about?: readonly string[]
}

async function auditPage(
  tx: Tx,
  channelId: string | null,
  { beforeId, limit = 50, about, actorId, targetId }: Asked,
): Promise<Page> {
  const rows = await tx.db
    .selectFrom('audit_log')
    .select(['id', 'action', 'actor_id', 'actor_name', 'target_id as targetId', 'target_name as targetName'])
    .select(['reason', 'details', 'created_at as createdAt'])
    .where('channel_id', channelId === null ? 'is' : '=', channelId)
    .$if(beforeId !== undefined, (query) => query.where('id', '<', beforeId ?? ''))
    .$if(about !== undefined, (query) => query.where(sql`split_part(action, '.', 1)`, 'in', about ?? []))
    .$if(actorId !== undefined, (query) => query.where('actor_id', '=', actorId ?? ''))
    .$if(targetId !== undefined, (query) => query.where('target_id', '=', targetId ?? ''))
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  const entries = rows.slice(0, limit).map(({ actor_id, actor_name, ...row }): AuditEntry => {
    const actor = actor_id === null ? null : { id: actor_id, name: actor_name ?? '' }
    return { ...row, actor, details: row.details as Record<string, unknown> }
  })
  return { entries, hasMore: rows.length > limit }
}
