import { memberChanged } from '@portico/contract'
import { sql } from 'kysely'
import { nameAlike } from '../accounts/account.ts'
import type { Tx } from '../operations/transaction.ts'
import { loadMember } from './load-member.ts'
import { toSpeaker } from './to-speaker.ts'

interface NewName {
  /** Who is going to have the name: their own names don't count. */
  readonly accountId: string
  readonly name: string
  /** Absent: in every channel that they are in. */
  readonly channelId?: string
}

/** Refuses a name that looks like a name or nickname of another member, person or bot, in the same channel. */
export async function refuseAlikeInChannel(tx: Tx, wanted: NewName): Promise<void> {
  const { rows } = await alikeInChannel(wanted).execute(tx.db)
  if (rows.length > 0) throw nameAlike()
}

/** How two names are compared, like those of people: without regard to case, and by what they look like. */
const COMPARED = [sql.raw('lower'), sql.raw('name_skeleton')]

/** Index lookups, however many members there are, except that all bots of a channel are compared. */
export function alikeInChannel({ accountId, name, channelId }: NewName) {
  const inChannel = channelId === undefined ? sql`` : sql`AND c.channel_id = ${channelId}::uuid`
  const branches = COMPARED.flatMap((by) => [
    sql`EXISTS (SELECT FROM members m
      WHERE m.channel_id = c.channel_id AND m.nickname IS NOT NULL AND ${by}(m.nickname) = ${by}(${name}::text)
        AND m.account_id <> c.account_id)`,
    sql`EXISTS (SELECT FROM members m JOIN accounts b ON b.id = m.account_id
      WHERE m.channel_id = c.channel_id AND m.is_bot AND ${by}(b.name) = ${by}(${name}::text) AND b.id <> c.account_id)`,
  ])
  const ofPeople = [sql`lower(a.name) = lower(${name}::text)`, sql`a.name_skeleton = name_skeleton(${name}::text)`].map(
    (
      isAlike,
    ) => sql`EXISTS (SELECT FROM accounts a JOIN members m ON m.account_id = a.id AND m.channel_id = c.channel_id
      WHERE a.kind = 'person' AND a.deleted_at IS NULL AND ${isAlike} AND a.id <> c.account_id)`,
  )
  return sql`
    SELECT FROM members c
    WHERE c.account_id = ${accountId}::uuid ${inChannel} AND (${sql.join([...branches, ...ofPeople], sql` OR `)})
    LIMIT 1`
}

/**
 * Someone joins, and a nickname looks like their name: the nickname ends. A nickname must not keep anyone out, and an
 * account name is unique in the portal.
 */
export async function endNicknamesLike(tx: Tx, channelId: string, accountId: string): Promise<void> {
  const { rows } = await clearNicknamesLike(channelId, accountId).execute(tx.db)
  for (const { id, nickname } of rows) {
    const member = await loadMember(tx, channelId, id)
    const details = { nickname: { from: nickname, to: null }, nameOfNewMember: true }
    tx.audit({ action: 'member.nickname_changed', channelId, target: member, details })
    tx.emit(memberChanged, { channelId }, { member: toSpeaker(member) })
  }
}

export function clearNicknamesLike(channelId: string, accountId: string) {
  const alike = COMPARED.map(
    (by) => sql`SELECT m.account_id, m.nickname FROM accounts a
      JOIN members m ON m.channel_id = ${channelId}::uuid AND m.nickname IS NOT NULL AND ${by}(m.nickname) = ${by}(a.name)
      WHERE a.id = ${accountId}::uuid AND m.account_id <> a.id`,
  )
  return sql<{ id: string; nickname: string }>`
    UPDATE members m SET nickname = NULL FROM (${sql.join(alike, sql` UNION `)}) alike
    WHERE m.channel_id = ${channelId}::uuid AND m.account_id = alike.account_id
    RETURNING m.account_id AS id, alike.nickname`
}
