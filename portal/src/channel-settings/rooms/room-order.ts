import type { RoomGroup } from '#rooms/group-rooms.ts'

/** The order of a channel's rooms: those outside any category first, then each category with its rooms. */
export interface Shelf {
  /** Null for the rooms outside any category. */
  readonly categoryId: string | null
  readonly roomIds: readonly string[]
}

/** There is always a place outside categories, so that a room can be moved there. */
export function shelvesOf(groups: readonly RoomGroup[]): Shelf[] {
  const shelves = groups.map(({ category, rooms }) => ({
    categoryId: category?.id ?? null,
    roomIds: rooms.map(({ id }) => id),
  }))
  return shelves[0]?.categoryId === null ? shelves : [{ categoryId: null, roomIds: [] }, ...shelves]
}

/** Puts a room before another one of a shelf, or at its end. */
export function placeRoom(
  shelves: readonly Shelf[],
  roomId: string,
  to: { readonly categoryId: string | null; readonly beforeId?: string | undefined },
): Shelf[] {
  if (to.beforeId === roomId) return [...shelves]
  return shelves.map(({ categoryId, roomIds }) => {
    const others = roomIds.filter((id) => id !== roomId)
    if (categoryId !== to.categoryId) return { categoryId, roomIds: others }
    const at = to.beforeId === undefined ? others.length : others.indexOf(to.beforeId)
    return { categoryId, roomIds: others.toSpliced(at < 0 ? others.length : at, 0, roomId) }
  })
}

/** One step up or down; beyond the edge of a category, into the next one. Undefined at the very end. */
export function stepRoom(shelves: readonly Shelf[], roomId: string, step: -1 | 1): Shelf[] | undefined {
  const shelfAt = shelves.findIndex(({ roomIds }) => roomIds.includes(roomId))
  const shelf = shelves[shelfAt]
  if (!shelf) return undefined
  const at = shelf.roomIds.indexOf(roomId)
  const { categoryId, roomIds } = shelf
  if (step < 0 && at > 0) return placeRoom(shelves, roomId, { categoryId, beforeId: roomIds[at - 1] })
  if (step > 0 && at < roomIds.length - 1) return placeRoom(shelves, roomId, { categoryId, beforeId: roomIds[at + 2] })

  const next = shelves[shelfAt + step]
  if (!next) return undefined
  return placeRoom(shelves, roomId, {
    categoryId: next.categoryId,
    ...(step > 0 && { beforeId: next.roomIds[0] }),
  })
}

/** One step among the categories. Undefined at the end. */
export function stepCategory(shelves: readonly Shelf[], categoryId: string, step: -1 | 1): Shelf[] | undefined {
  const at = shelves.findIndex((shelf) => shelf.categoryId === categoryId)
  const shelf = shelves[at]
  const other = shelves[at + step]
  if (!shelf || !other || other.categoryId === null) return undefined
  return shelves.with(at, other).with(at + step, shelf)
}

/** Puts a category, with its rooms, before another one, or at the end. */
export function placeCategory(shelves: readonly Shelf[], categoryId: string, beforeId: string | undefined): Shelf[] {
  const moved = shelves.find((shelf) => shelf.categoryId === categoryId)
  if (!moved || beforeId === categoryId) return [...shelves]
  const others = shelves.filter((shelf) => shelf !== moved)
  const at = beforeId === undefined ? -1 : others.findIndex((shelf) => shelf.categoryId === beforeId)
  return others.toSpliced(at < 0 ? others.length : at, 0, moved)
}

/** Nothing is asked of the server for what was let go where it stood. */
export function isSameOrder(left: readonly Shelf[], right: readonly Shelf[]): boolean {
  const written = (shelves: readonly Shelf[]) =>
    shelves.map(({ categoryId, roomIds }) => [categoryId, ...roomIds].join())
  return written(left).join('|') === written(right).join('|')
}

/** Where a room stands, counted from 1. */
export function placeOf(shelves: readonly Shelf[], roomId: string) {
  const shelf = shelves.find(({ roomIds }) => roomIds.includes(roomId))
  if (!shelf) return undefined
  return {
    categoryId: shelf.categoryId,
    place: shelf.roomIds.indexOf(roomId) + 1,
    count: shelf.roomIds.length,
  }
}
