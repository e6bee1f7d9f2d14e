import type { Category, Room } from '@portico/contract'
import type { RoomGroup } from '#rooms/group-rooms.ts'

/** The rooms of one category in order. The group without a category comes first. */
export interface CategoryRooms {
  /** Null for rooms without a category. */
  readonly categoryId: string | null
  readonly roomIds: readonly string[]
}

/** There is always a group without a category, so that a room can be moved there. */
export function groupsOf(rooms: readonly RoomGroup[]): CategoryRooms[] {
  const groups = rooms.map(({ category, rooms: inside }) => ({
    categoryId: category?.id ?? null,
    roomIds: inside.map(({ id }) => id),
  }))
  return groups[0]?.categoryId === null ? groups : [{ categoryId: null, roomIds: [] }, ...groups]
}

/** The rooms and categories in a wanted order. */
export function arrange(
  { rooms, categories }: { rooms: Room[]; categories: Category[] },
  order: readonly CategoryRooms[] = [],
): { rooms: Room[]; categories: Category[] } {
  const ids = order.flatMap(({ roomIds }) => roomIds)
  const placed = new Map(
    order.flatMap(({ categoryId, roomIds }) =>
      roomIds.map((id) => [id, { categoryId, sort: ids.indexOf(id) }] as const),
    ),
  )
  const categoryPlace = new Map(order.map(({ categoryId }, sort) => [categoryId, { sort }]))
  return {
    rooms: rooms.map((room) => ({ ...room, ...placed.get(room.id) })),
    categories: categories.map((category) => ({ ...category, ...categoryPlace.get(category.id) })),
  }
}

/** Moves a room before another one of a group, or to its end. */
export function placeRoom(
  groups: readonly CategoryRooms[],
  roomId: string,
  to: { readonly categoryId: string | null; readonly beforeId?: string | undefined },
): CategoryRooms[] {
  if (to.beforeId === roomId) return [...groups]
  return groups.map(({ categoryId, roomIds }) => {
    const others = roomIds.filter((id) => id !== roomId)
    if (categoryId !== to.categoryId) return { categoryId, roomIds: others }
    const at = to.beforeId === undefined ? others.length : others.indexOf(to.beforeId)
    return { categoryId, roomIds: others.toSpliced(at < 0 ? others.length : at, 0, roomId) }
  })
}

/** Moves a room up or down by one, across the edge of a category into the next one. Undefined at the very end. */
export function stepRoom(groups: readonly CategoryRooms[], roomId: string, step: -1 | 1): CategoryRooms[] | undefined {
  const groupAt = groups.findIndex(({ roomIds }) => roomIds.includes(roomId))
  const group = groups[groupAt]
  if (!group) return undefined
  const at = group.roomIds.indexOf(roomId)
  const { categoryId, roomIds } = group
  if (step < 0 && at > 0) return placeRoom(groups, roomId, { categoryId, beforeId: roomIds[at - 1] })
  if (step > 0 && at < roomIds.length - 1) return placeRoom(groups, roomId, { categoryId, beforeId: roomIds[at + 2] })

  const next = groups[groupAt + step]
  if (!next) return undefined
  return placeRoom(groups, roomId, {
    categoryId: next.categoryId,
    ...(step > 0 && { beforeId: next.roomIds[0] }),
  })
}

/** Moves a category up or down by one. Undefined at the end. */
export function stepCategory(
  groups: readonly CategoryRooms[],
  categoryId: string,
  step: -1 | 1,
): CategoryRooms[] | undefined {
  const at = groups.findIndex((group) => group.categoryId === categoryId)
  const group = groups[at]
  const other = groups[at + step]
  if (!group || !other || other.categoryId === null) return undefined
  return groups.with(at, other).with(at + step, group)
}

/** Moves a category with its rooms before another one, or to the end. */
export function placeCategory(
  groups: readonly CategoryRooms[],
  categoryId: string,
  beforeId: string | undefined,
): CategoryRooms[] {
  const moved = groups.find((group) => group.categoryId === categoryId)
  if (!moved || beforeId === categoryId) return [...groups]
  const others = groups.filter((group) => group !== moved)
  const at = beforeId === undefined ? -1 : others.findIndex((group) => group.categoryId === beforeId)
  return others.toSpliced(at < 0 ? others.length : at, 0, moved)
}

/** Dropping something where it was needs no request. */
export function isSameOrder(left: readonly CategoryRooms[], right: readonly CategoryRooms[]): boolean {
  const written = (groups: readonly CategoryRooms[]) =>
    groups.map(({ categoryId, roomIds }) => [categoryId, ...roomIds].join())
  return written(left).join('|') === written(right).join('|')
}

/** The position of a room, counted from 1. */
export function placeOf(groups: readonly CategoryRooms[], roomId: string) {
  const group = groups.find(({ roomIds }) => roomIds.includes(roomId))
  if (!group) return undefined
  return {
    categoryId: group.categoryId,
    place: group.roomIds.indexOf(roomId) + 1,
    count: group.roomIds.length,
  }
}
