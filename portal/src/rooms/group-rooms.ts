import type { Category, Room } from '@portico/contract'

export interface RoomGroup {
  /** Absent for rooms without a category, which come first. */
  category: Category | undefined
  rooms: Room[]
}

/**
 * The rooms of a channel as they are listed: those without a category, then each category in order, including empty
 * ones.
 */
export function groupRooms({ rooms, categories }: { rooms: Room[]; categories: Category[] }): RoomGroup[] {
  const known = new Set(categories.map(({ id }) => id))
  const sorted = rooms.toSorted((a, b) => a.sort - b.sort)
  const loose = sorted.filter(({ categoryId }) => categoryId === null || !known.has(categoryId))
  const groups: RoomGroup[] = categories
    .toSorted((a, b) => a.sort - b.sort)
    .map((category) => ({ category, rooms: sorted.filter(({ categoryId }) => categoryId === category.id) }))
  return loose.length > 0 ? [{ category: undefined, rooms: loose }, ...groups] : groups
}
