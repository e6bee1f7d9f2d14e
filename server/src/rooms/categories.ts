import { LIMITS, type Category, type Input } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import { changesOf } from '../operations/changes-of.ts'
import { newId } from '../operations/ids.ts'
import type { ChannelPlace } from '../operations/authorize.ts'
import { cannot } from '../operations/refusal.ts'
import type { Tx } from '../operations/transaction.ts'

export async function createCategory(
  tx: Tx,
  input: Input<typeof api.createCategory>,
  { channelId }: ChannelPlace,
): Promise<Category> {
  const { count, last } = await tx.db
    .selectFrom('categories')
    .select((eb) => [eb.fn.countAll<number>().as('count'), sql<number>`coalesce(max(sort), 0)`.as('last')])
    .where('channel_id', '=', channelId)
    .executeTakeFirstOrThrow()
  if (count >= LIMITS.categoriesOfChannel) {
    throw cannot(`A channel can have at most ${LIMITS.categoriesOfChannel} categories.`, 'too_many_categories')
  }
  const category = { id: newId(), name: input.name.trim(), sort: last + 1 }
  await tx.db
    .insertInto('categories')
    .values({ ...category, channel_id: channelId })
    .execute()
  tx.audit({ action: 'category.created', channelId, target: category })
  return category
}

export async function updateCategory(
  tx: Tx,
  input: Input<typeof api.updateCategory>,
  { channelId }: ChannelPlace,
): Promise<Category> {
  const before = await loadCategory(tx, channelId, input.categoryId)
  const name = input.name.trim()
  const changes = changesOf(before, { name })
  if (Object.keys(changes).length === 0) return before
  await tx.db.updateTable('categories').set({ name }).where('id', '=', before.id).execute()
  const after = { ...before, name }
  tx.audit({ action: 'category.updated', channelId, target: after, details: changes })
  return after
}

export async function deleteCategory(
  tx: Tx,
  input: Input<typeof api.deleteCategory>,
  { channelId }: ChannelPlace,
): Promise<null> {
  const category = await loadCategory(tx, channelId, input.categoryId)
  await tx.db.deleteFrom('categories').where('id', '=', category.id).execute()
  tx.audit({ action: 'category.deleted', channelId, target: category })
  return null
}

export async function refuseForeignCategory(tx: Tx, channelId: string, id: string | null | undefined): Promise<void> {
  if (id) await loadCategory(tx, channelId, id)
}

async function loadCategory(tx: Tx, channelId: string, id: string): Promise<Category> {
  const category = await tx.db
    .selectFrom('categories')
    .select(['id', 'name', 'sort'])
    .where('id', '=', id)
    .where('channel_id', '=', channelId)
    .executeTakeFirst()
  if (!category) throw cannot('There’s no such category in this channel.', 'no_such_category')
  return category
}
