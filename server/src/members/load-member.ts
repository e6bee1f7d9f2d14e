import { sql } from 'kysely'
import { outranked } from '../operations/access-refusals.ts'
import { cannot } from '../operations/refusal.ts'
import { roleFacts, roleIdsOfMember } from '../operations/roles-of-member.ts'
import type { Tx } from '../operations/transaction.ts'
import type { ChannelPlace, RoleFacts } from '../operations/authorize.ts'

/** Another member, as seen by a caller who is about to act on them. */
export interface OtherMember {
  readonly id: string
  readonly name: string
  readonly nickname: string | null
  readonly isBot: boolean
  readonly avatar: string
  readonly avatarVersion: number
  /** Highest first; never empty. */
  readonly roles: readonly RoleFacts[]
}

export async function loadMember(tx: Tx, channelId: string, accountId: string): Promise<OtherMember> {
  const member = await findMember(tx, channelId, accountId)
  if (!member) throw cannot('There’s no such member in this channel.', 'not_a_member')
  return member
}

async function findMember(tx: Tx, channelId: string, accountId: string): Promise<OtherMember | undefined> {
  const { rows } = await sql<OtherMember>`
    SELECT a.id, a.name, m.nickname, a.kind = 'bot' AS "isBot", a.avatar, a.avatar_version AS "avatarVersion", r.roles
    FROM members m
    JOIN accounts a ON a.id = m.account_id
    CROSS JOIN LATERAL (SELECT ${roleFacts} AS roles FROM roles WHERE id = ANY (${roleIdsOfMember})) r
    WHERE m.channel_id = ${channelId}::uuid AND m.account_id = ${accountId}::uuid`.execute(tx.db)
  return rows[0]
}

/** A member whose highest role ranks below the caller's, so never the owner or the caller. */
export async function loadMemberBelow(tx: Tx, place: ChannelPlace, accountId: string): Promise<OtherMember> {
  const member = await loadMember(tx, place.channelId, accountId)
  refuseRank(place, member)
  return member
}

/** Refuses to act on what a member wrote who doesn’t rank below the caller. Those who have left rank below everyone. */
export async function refuseUnlessBelow(tx: Tx, place: ChannelPlace, accountId: string): Promise<void> {
  const member = await findMember(tx, place.channelId, accountId)
  if (member) refuseRank(place, member)
}

function refuseRank(place: ChannelPlace, member: OtherMember): void {
  if ((member.roles[0]?.rank ?? 0) >= place.rank) throw outranked('This member’s highest role isn’t below yours.')
}
