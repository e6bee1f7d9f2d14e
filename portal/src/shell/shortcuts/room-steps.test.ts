import type { OwnChannel, Room, RoomReadState } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { channelAt, roomAt, unreadAt, type Surroundings } from './room-steps.ts'

function room(id: string, sort: number, categoryId: string | null = null): Room {
  return { id, name: id, sort, categoryId, type: 'text', writeRestricted: false }
}

function channel(id: string): OwnChannel {
  const role = { systemName: 'CHANNEL_MEMBER', name: 'Member' } as const
  return {
    id,
    name: id,
    description: null,
    image: '',
    avatarVersion: 0,
    open: true,
    showModerators: true,
    memberCount: 1,
    role,
  }
}

function readState(channelId: string, roomId: string, more: Partial<RoomReadState> = {}): [string, RoomReadState] {
  return [
    roomId,
    {
      channelId,
      roomId,
      readUpTo: '',
      lastMessageId: null,
      unread: true,
      mentions: 0,
      muted: false,
      mutedUntil: null,
      channelMuted: false,
      level: 'mentions',
      ...more,
    },
  ]
}

const here: Surroundings = {
  channels: [channel('one'), channel('two'), channel('three')],
  rooms: {
    rooms: [room('plans', 1, 'work'), room('lobby', 5), room('design', 2, 'work')],
    categories: [{ id: 'work', name: 'Work', sort: 1 }],
  },
  readStates: new Map([
    readState('one', 'design'),
    readState('one', 'plans', { muted: true }),
    readState('three', 'far'),
  ]),
  channelId: 'one',
  roomId: 'lobby',
}

describe('stepping through rooms and channels', () => {
  test('goes through rooms in the order of the list, and wraps around', () => {
    expect(roomAt(1, here)).toBe('/c/one/plans')
    expect(roomAt(-1, here)).toBe('/c/one/design')
    expect(roomAt(1, { ...here, rooms: { rooms: [room('lobby', 1)], categories: [] } })).toBeUndefined()
  })

  test('finds unread rooms past read and muted ones, then in other channels', () => {
    expect(unreadAt(1, here)).toBe('/c/one/design')
    expect(unreadAt(1, { ...here, roomId: 'design' })).toBe('/c/three/far')
    expect(unreadAt(1, { ...here, readStates: new Map() })).toBeUndefined()
  })

  test('goes through channels in the order of the rail; from elsewhere, to the first or the last', () => {
    expect(channelAt(1, here)).toBe('/c/two')
    expect(channelAt(-1, here)).toBe('/c/three')
    expect(channelAt(1, { ...here, channelId: undefined })).toBe('/c/one')
  })
})
