import type { Room } from '@portico/contract'
import { expect, test } from 'vitest'
import { groupRooms } from './group-rooms.ts'

function room(name: string, sort: number, categoryId: string | null): Room {
  return { id: name, name, sort, categoryId, type: 'text', writeRestricted: false }
}

test('lists rooms without a category first, then each category in order, including empty ones', () => {
  const groups = groupRooms({
    rooms: [room('late', 9, 'work'), room('lobby', 5, null), room('early', 1, 'work'), room('stray', 0, 'unknown')],
    categories: [
      { id: 'work', name: 'Work', sort: 2 },
      { id: 'empty', name: 'Empty', sort: 1 },
    ],
  })

  expect(groups.map(({ category, rooms }) => [category?.name, rooms.map(({ name }) => name)])).toEqual([
    [undefined, ['stray', 'lobby']],
    ['Empty', []],
    ['Work', ['early', 'late']],
  ])
})

test('lists nothing without rooms and categories', () => {
  expect(groupRooms({ rooms: [], categories: [] })).toEqual([])
})
