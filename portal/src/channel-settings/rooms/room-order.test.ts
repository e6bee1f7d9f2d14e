import { describe, expect, test } from 'vitest'
import {
  isSameOrder,
  placeCategory,
  placeOf,
  placeRoom,
  groupsOf,
  stepCategory,
  stepRoom,
  type CategoryRooms,
} from './room-order.ts'

const GROUPS: CategoryRooms[] = [
  { categoryId: null, roomIds: ['lobby'] },
  { categoryId: 'work', roomIds: ['plans', 'demo', 'leads'] },
  { categoryId: 'fun', roomIds: [] },
]

function shown(groups: CategoryRooms[] | undefined): string | undefined {
  return groups?.map(({ categoryId, roomIds }) => `${categoryId ?? ''}: ${roomIds.join(' ')}`.trim()).join(' | ')
}

describe('stepRoom', () => {
  test.each([
    ['demo', -1, ': lobby | work: demo plans leads | fun:'],
    ['demo', 1, ': lobby | work: plans leads demo | fun:'],
    ['plans', -1, ': lobby plans | work: demo leads | fun:'],
    ['leads', 1, ': lobby | work: plans demo | fun: leads'],
    ['lobby', 1, ': | work: lobby plans demo leads | fun:'],
    ['lobby', -1, undefined],
    ['nowhere', 1, undefined],
  ] as const)('%s by %d', (room, step, expected) => {
    expect(shown(stepRoom(GROUPS, room, step))).toBe(expected)
  })

  test('the last room of the last category can’t move down', () => {
    const groups = placeRoom(GROUPS, 'demo', { categoryId: 'fun' })
    expect(stepRoom(groups, 'demo', 1)).toBeUndefined()
    expect(placeOf(groups, 'demo')).toEqual({ categoryId: 'fun', place: 1, count: 1 })
  })
})

describe('placeRoom', () => {
  test('moves a room before another, to the end, or leaves it where it is', () => {
    expect(shown(placeRoom(GROUPS, 'lobby', { categoryId: 'work', beforeId: 'leads' }))).toBe(
      ': | work: plans demo lobby leads | fun:',
    )
    expect(shown(placeRoom(GROUPS, 'plans', { categoryId: 'work' }))).toBe(': lobby | work: demo leads plans | fun:')
    expect(shown(placeRoom(GROUPS, 'plans', { categoryId: 'work', beforeId: 'plans' }))).toBe(shown(GROUPS))
    expect(shown(placeRoom(GROUPS, 'plans', { categoryId: 'fun', beforeId: 'gone' }))).toBe(
      ': lobby | work: demo leads | fun: plans',
    )
  })
})

describe('stepCategory', () => {
  test('swaps categories with their rooms, and never moves one above the rooms without a category', () => {
    expect(shown(stepCategory(GROUPS, 'fun', -1))).toBe(': lobby | fun: | work: plans demo leads')
    expect(stepCategory(GROUPS, 'work', -1)).toBeUndefined()
    expect(stepCategory(GROUPS, 'fun', 1)).toBeUndefined()
  })
})

describe('placeCategory', () => {
  test('moves a category with its rooms before another one or to the end', () => {
    expect(shown(placeCategory(GROUPS, 'fun', 'work'))).toBe(': lobby | fun: | work: plans demo leads')
    expect(shown(placeCategory(GROUPS, 'work', undefined))).toBe(': lobby | fun: | work: plans demo leads')
    expect(shown(placeCategory(GROUPS, 'work', 'work'))).toBe(shown(GROUPS))
    expect(shown(placeCategory(GROUPS, 'gone', 'work'))).toBe(shown(GROUPS))
  })
})

test('isSameOrder detects a moved room or category', () => {
  expect(isSameOrder(GROUPS, placeRoom(GROUPS, 'plans', { categoryId: 'work', beforeId: 'demo' }))).toBe(true)
  expect(isSameOrder(GROUPS, placeRoom(GROUPS, 'plans', { categoryId: 'work' }))).toBe(false)
  expect(isSameOrder(GROUPS, placeCategory(GROUPS, 'fun', 'work'))).toBe(false)
})

test('there is always a group without a category, even if it is empty', () => {
  const work = { id: 'work', name: 'Work', sort: 1 }
  expect(shown(groupsOf([{ category: work, rooms: [] }]))).toBe(': | work:')
  expect(shown(groupsOf([]))).toBe(':')
})
