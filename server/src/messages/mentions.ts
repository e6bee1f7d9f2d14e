import {
  GROUPS,
  LIMITS,
  mentionedGroups,
  mentionedIds,
  textsOfCards,
  type Card,
  type NamedMember,
} from '@portico/contract'
import { sql } from 'kysely'
import type { RoomPlace } from '../operations/authorize.ts'
import type { Tx } from '../operations/transaction.ts'

const NAMED: ReadonlySet<string> = new Set(GROUPS)

/** The people, bots and roles mentioned in texts of a channel, with their current names, including people who have left. */
export async function namesIn(
  tx: Pick<Tx, 'db'>,
  channelId: string,
  texts: readonly string[],
): Promise<ReadonlyMap<string, NamedMember>> {
  const ids = [...new Set(texts.flatMap(mentionsOf))]
  const roleIds = [...new Set(texts.flatMap(rolesOf))]
  if (ids.length === 0 && roleIds.length === 0) return new Map()
  const { rows } = await sql<NamedMember>`
    SELECT a.id, a.name, m.nickname AS "channelNickname"
    FROM accounts a LEFT JOIN members m ON m.channel_id = ${channelId}::uuid AND m.account_id = a.id
    WHERE a.id = ANY (${ids}::uuid[])
    UNION ALL
    SELECT id, name, NULL FROM roles WHERE id = ANY (${roleIds}::uuid[]) AND channel_id = ${channelId}::uuid`.execute(
    tx.db,
  )
  return new Map(rows.map((row) => [row.id, row]))
}

/** The names that a text needs. */
export function mentionedIn(text: string, names: ReadonlyMap<string, NamedMember>): NamedMember[] {
  return [...mentionsOf(text), ...rolesOf(text)].flatMap((id) => names.get(id) ?? [])
}

/** The names that cards need, as the field of a message; none if they mention no one. */
export function mentionedInCards(
  cards: readonly Card[] | null | undefined,
  names: ReadonlyMap<string, NamedMember>,
): { cardMentions?: NamedMember[] } {
  const cardMentions = cards ? mentionedIn(textsOfCards(cards).join('\n'), names) : []
  return cardMentions.length > 0 ? { cardMentions } : {}
}

/** The groups that a new message notifies: none without the right, and only roles of the channel, whose names are known. */
export function groupsToNotify(
  text: string,
  { rights }: Pick<RoomPlace, 'rights'>,
  names: ReadonlyMap<string, NamedMember>,
): string[] {
  const groups = rights.has('mention_everyone') ? mentionedGroups(text) : []
  return groups.filter((group) => NAMED.has(group) || names.has(group))
}

/** The people and bots that a text mentions, up to the limit. */
export function mentionsOf(text: string): string[] {
  return mentionedIds(text).slice(0, LIMITS.mentionsOfMessage)
}

function rolesOf(text: string): string[] {
  return mentionedGroups(text)
    .filter((group) => !NAMED.has(group))
    .slice(0, LIMITS.mentionsOfMessage)
}
