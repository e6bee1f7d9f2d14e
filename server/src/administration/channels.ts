import type { Input, ManagedChannel, Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import { dropChannel } from '../channels/delete-channel.ts'
import { nameContains } from '../members/find-members.ts'
import { lockChannel } from '../operations/lock-channel.ts'
import { transferOwnership } from '../channels/transfer-channel.ts'
import { cannot } from '../operations/refusal.ts'
import type { Tx } from '../operations/transaction.ts'
import { CHANNELS } from './lists.ts'
import { rowOf } from './page-of.ts'

export async function deleteAnyChannel(tx: Tx, input: Input<typeof api.deleteAnyChannel>): Promise<null> {
  const { id, name } = await holdChannel(tx, input.channelId)
  await dropChannel(tx, { channelId: id, channelName: name }, input.name)
  return null
}

export async function listOwnerCandidates(
  tx: Tx,
  input: Input<typeof api.listOwnerCandidates>,
): Promise<Output<typeof api.listOwnerCandidates>> {
  const { search, limit = 20 } = input
  const { id, owner } = await loadChannel(tx, input.channelId)
  const { rows } = await sql<Output<typeof api.listOwnerCandidates>['members'][number]>`
    SELECT a.id, a.name, m.nickname AS "channelNickname", a.avatar, a.avatar_version AS "avatarVersion"
    FROM (
      SELECT m.account_id, m.sort_name FROM members m
      WHERE m.channel_id = ${id}::uuid AND m.account_id <> ${owner.id}::uuid
        AND m.account_id <> ALL (ARRAY(SELECT account_id FROM members WHERE channel_id = ${id}::uuid AND is_bot))
        ${nameContains(search?.trim() ?? '')}
      ORDER BY m.channel_id, m.sort_name, m.account_id LIMIT ${limit}::int
    ) page
    CROSS JOIN LATERAL (
      SELECT nickname FROM members WHERE channel_id = ${id}::uuid AND account_id = page.account_id LIMIT 1
    ) m
    CROSS JOIN LATERAL (SELECT * FROM accounts WHERE id = page.account_id LIMIT 1) a
    ORDER BY page.sort_name, page.account_id`.execute(tx.db)
  return { members: rows }
}

export async function transferAnyChannel(tx: Tx, input: Input<typeof api.transferAnyChannel>): Promise<ManagedChannel> {
  const before = await holdChannel(tx, input.channelId)
  const newOwner = await transferOwnership(tx, { channelId: before.id, ownerId: before.owner.id }, input.userId)
  // The channel's audit log is for its members; this one is for the other administrators.
  tx.audit({
    action: 'channel.transferred',
    target: before,
    details: { owner: { from: before.owner.name, to: newOwner.name } },
  })
  return loadChannel(tx, before.id)
}

async function holdChannel(tx: Tx, channelId: string): Promise<ManagedChannel> {
  await lockChannel(tx, channelId)
  return loadChannel(tx, channelId)
}

async function loadChannel(tx: Tx, channelId: string): Promise<ManagedChannel> {
  const channel = await rowOf(tx, channelId, CHANNELS)
  if (!channel) throw cannot('There’s no such channel.', 'no_such_channel')
  return channel
}
