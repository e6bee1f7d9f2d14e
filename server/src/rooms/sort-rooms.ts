import type { Input } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import { uniqueIds } from '../operations/ids.ts'
import type { ChannelPlace } from '../operations/authorize.ts'
import { cannot } from '../operations/refusal.ts'
import type { Tx } from '../operations/transaction.ts'
import { isSeenBy } from '../operations/is-seen-by.ts'

type SortRooms = Input<typeof api.sortRooms>

export async function sortRooms(tx: Tx, input: SortRooms, channel: ChannelPlace): Promise<null> {
  await sortCategories(tx, channel.channelId, uniqueIds('categories', input.categories ?? []))
  await placeRooms(tx, channel, input.rooms ?? [])
  tx.audit({ action: 'rooms.sorted', channelId: channel.channelId })
  return null
}

async function sortCategories(tx: Tx, channelId: string, named: readonly string[]): Promise<void> {
  const rows = await tx.db
    .selectFrom('categories')
    .select('id')
    .where('channel_id', '=', channelId)
    .orderBy('sort')
    .orderBy('id')
    .execute()
  const current = rows.map(({ id }) => id)
  if (!isSubset(named, current)) throw noSuchCategory()
  await sql`
    UPDATE categories SET sort = given.sort
    FROM unnest(${namedFirst(named, current)}::uuid[]) WITH ORDINALITY AS given (id, sort)
    WHERE categories.id = given.id AND categories.sort <> given.sort`.execute(tx.db)
}

async function placeRooms(tx: Tx, channel: ChannelPlace, given: NonNullable<SortRooms['rooms']>): Promise<void> {
  const named = uniqueIds(
    'rooms',
    given.map(({ id }) => id),
  )
  const { rows } = await sql<{ id: string; categoryId: string | null; seen: boolean }>`
    SELECT o.id, o.category_id AS "categoryId", ${isSeenBy(tx.actor, channel)} AS seen FROM rooms o
    WHERE o.channel_id = ${channel.channelId}::uuid ORDER BY o.sort, o.id`.execute(tx.db)
  const seen = rows.filter((row) => row.seen).map(({ id }) => id)
  if (!isSubset(named, seen)) throw cannot('There’s no such room in this channel.', 'no_such_room')

  const categoryOf = new Map(rows.map(({ id, categoryId }) => [id, categoryId]))
  for (const { id, categoryId } of given) {
    if (categoryId !== undefined) categoryOf.set(id.toLowerCase(), categoryId?.toLowerCase() ?? null)
  }
  await refuseForeignCategories(tx, channel.channelId, new Set(categoryOf.values()))

  const order = namedFirst(named, [...categoryOf.keys()])
  await sql`
    UPDATE rooms SET sort = given.sort, category_id = given.category_id
    FROM unnest(${order}::uuid[], ${order.map((id) => categoryOf.get(id) ?? null)}::uuid[])
      WITH ORDINALITY AS given (id, category_id, sort)
    WHERE rooms.id = given.id
      AND (rooms.sort, rooms.category_id) IS DISTINCT FROM (given.sort, given.category_id)`.execute(tx.db)
}

/** The given ids first, in their order, then the others in their old order. */
function namedFirst(named: readonly string[], current: readonly string[]): string[] {
  const moved = new Set(named)
  return [...named, ...current.filter((id) => !moved.has(id))]
}

function isSubset(ids: readonly string[], of: readonly string[]): boolean {
  const known = new Set(of)
  return ids.every((id) => known.has(id))
}

async function refuseForeignCategories(tx: Tx, channelId: string, used: ReadonlySet<string | null>): Promise<void> {
  const ids = [...used].filter((id) => id !== null)
  const { rows } = await sql`
    SELECT FROM categories WHERE channel_id = ${channelId}::uuid AND id = ANY (${ids}::uuid[])`.execute(tx.db)
  if (rows.length < ids.length) throw noSuchCategory()
}

function noSuchCategory(): Error {
  return cannot('There’s no such category in this channel.', 'no_such_category')
}
