import type { Role, RoleName } from '@portico/contract'
import { expect, test } from 'vitest'
import { placeRole, stepRole } from './role-order.ts'

function role(id: string, rank: number, systemName: RoleName = 'CUSTOM'): Role {
  return { id, rank, systemName, name: id, rights: [], memberCount: 0 }
}

const roles = [
  role('owner', 1000, 'CHANNEL_OWNER'),
  role('admin', 900, 'CHANNEL_ADMIN'),
  role('high', 501),
  role('moderator', 500, 'CHANNEL_MODERATOR'),
  role('watch', 102),
  role('guests', 101),
  role('member', 100, 'CHANNEL_MEMBER'),
]

test.each([
  ['guests', -1, 1000, 'high moderator guests watch'],
  ['watch', -1, 1000, 'high watch moderator guests'],
  ['high', 1, 1000, 'moderator high watch guests'],
  ['high', -1, 1000, undefined],
  ['guests', 1, 1000, undefined],
  ['member', -1, 1000, undefined],
  ['watch', -1, 500, undefined],
  ['guests', -1, 500, 'high moderator guests watch'],
  ['high', 1, 500, undefined],
] as const)('%s by %d for a member of rank %d', (id, step, rank, expected) => {
  expect(stepRole(roles, rank, id, step)?.join(' ')).toBe(expected)
})

test('a role is dropped before another or at the end, and never above the reader’s own', () => {
  expect(placeRole(roles, 1000, 'guests', 'high')).toEqual(['guests', 'high', 'moderator', 'watch'])
  expect(placeRole(roles, 1000, 'high', undefined)).toEqual(['moderator', 'watch', 'guests', 'high'])
  expect(placeRole(roles, 500, 'guests', 'high')).toBeUndefined()
  expect(placeRole(roles, 1000, 'watch', 'watch')).toBeUndefined()
  expect(placeRole(roles, 1000, 'watch', 'guests')).toBeUndefined()
  expect(placeRole(roles, 1000, 'watch', 'member')).toBeUndefined()
})
