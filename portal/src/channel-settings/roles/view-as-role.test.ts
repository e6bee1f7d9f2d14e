import type { Right, Role, RoleName, Room, RoomAccess } from '@portico/contract'
import { expect, test } from 'vitest'
import { rightsAs, roomsAs } from './view-as-role.ts'

function role(id: string, rank: number, systemName: RoleName, rights: Right[]): Role {
  return { id, rank, systemName, name: id, rights, memberCount: 0 }
}

const owner = role('owner', 1000, 'CHANNEL_OWNER', [])
const watch = role('watch', 101, 'CUSTOM', ['kick_member'])
const member = role('member', 100, 'CHANNEL_MEMBER', ['read_text_room', 'write_text_room', 'join_voice_room'])
const roles = [owner, watch, member]

const news: Room = { id: 'news', name: 'news', type: 'text', categoryId: null, sort: 1, writeRestricted: true }
const closet: Room = { ...news, id: 'closet', name: 'closet', private: true }
const lounge: Room = { ...news, id: 'lounge', name: 'lounge', type: 'voice' }

const access: (RoomAccess & { roomId: string })[] = [
  {
    roomId: 'news',
    overrides: [
      { roleId: 'member', allow: [], deny: ['write_text_room'] },
      { roleId: 'watch', allow: ['write_text_room'], deny: [] },
    ],
    admittedRoleIds: [],
    admittedMembers: [],
  },
  { roomId: 'closet', overrides: [], admittedRoleIds: ['watch'], admittedMembers: [{ id: 'ada', name: 'Ada' }] },
]

function seen(as: Role) {
  return roomsAs(as, roles, [news, closet, lounge], access).map(({ room, seen, rights }) => [
    room.name,
    seen,
    rights.filter(({ may }) => may).map(({ right }) => right),
  ])
}

test('an ordinary member gets the overrides for members', () => {
  expect(seen(member)).toEqual([
    ['news', true, ['read_text_room']],
    ['closet', false, ['read_text_room', 'write_text_room']],
    ['lounge', true, ['join_voice_room']],
  ])
})

test('a custom role ranks above the member role, which its members keep', () => {
  expect(seen(watch)).toEqual([
    ['news', true, ['read_text_room', 'write_text_room']],
    ['closet', true, ['read_text_room', 'write_text_room']],
    ['lounge', true, ['join_voice_room']],
  ])
  expect(rightsAs(watch, roles).has('kick_member')).toBe(true)
})

test('the owner sees everything and has every right', () => {
  const everywhere = roomsAs(owner, roles, [news, closet, lounge], access)
  expect(everywhere.every(({ seen, rights }) => seen && rights.every(({ may }) => may))).toBe(true)
})
