import type { RoomMessage, Speaker } from '@portico/contract'
import { hashKey } from '@tanstack/svelte-query'
import { describe, expect, test } from 'vitest'
import type { PortalEvent } from '#live/portal-event.ts'
import type { MessageEvent } from '#messages/message-window.svelte.ts'
import { copyChanges, MAX_ROOMS, type Known } from './copy-changes.ts'
import type { StoredCopy, StoredQuery, StoredRoom } from './copy-store.ts'

const ADA: Speaker = { id: 'ada', name: 'Ada', channelNickname: null, avatar: '', avatarVersion: 0, isBot: false }
const NOW = 1_000_000
const nothingKnown: Known = {
  myId: 'me',
  now: NOW,
  queries: new Map(),
  rooms: [],
  events: new Map(),
  readable: undefined,
}

function messages(count: number): RoomMessage[] {
  return Array.from({ length: count }, (_, index) => {
    const id = String(index).padStart(4, '0')
    return { id, text: `message ${index}`, createdAt: '', author: ADA, mentions: [], reactions: [] }
  })
}

function room(roomId: string, readAt: number, count = 3): StoredRoom {
  return { channelId: 'channel', roomId, readAt, messages: messages(count), hasOlder: false }
}

function query(queryKey: readonly unknown[], data: unknown): StoredQuery {
  return { queryKey, data, updatedAt: 0 }
}

function copyOf(rooms: readonly StoredRoom[], queries: readonly StoredQuery[] = []): StoredCopy {
  return {
    rooms: new Map(rooms.map((one) => [one.roomId, one])),
    queries: new Map(queries.map((one) => [hashKey(one.queryKey), one])),
  }
}

const PERMISSIONS = ['of-channel', 'channel', 'permissions', 'one']

describe('copyChanges', () => {
  test('changes nothing if nothing is known', () => {
    const { rooms, queries } = copyChanges(copyOf([room('one', 1)], [query(PERMISSIONS, {})]), nothingKnown)
    expect([...rooms, ...queries]).toEqual([])
  })

  test('stores the newest page of a room, and the last room as read now', () => {
    const { readAt: _, ...one } = room('one', 0, 80)
    const { readAt: __, ...two } = room('two', 0)
    const { rooms } = copyChanges(copyOf([room('one', 5)]), { ...nothingKnown, rooms: [one, two] })
    expect(rooms.get('one')?.messages.map(({ id }) => id)).toEqual(
      messages(80)
        .slice(30)
        .map(({ id }) => id),
    )
    expect(rooms.get('one')).toMatchObject({ hasOlder: true, readAt: 5 })
    expect(rooms.get('two')).toMatchObject({ hasOlder: false, readAt: NOW })
  })

  test('keeps the rooms that were read last, and removes the others with their permissions', () => {
    const stored = Array.from({ length: MAX_ROOMS }, (_, index) => room(index === 0 ? 'one' : `room ${index}`, index))
    const { readAt: _, ...another } = room('another', 0)
    const { rooms, queries } = copyChanges(copyOf(stored, [query(PERMISSIONS, {})]), {
      ...nothingKnown,
      rooms: [another],
    })
    expect([...rooms].map(([id, value]) => [id, value !== undefined])).toEqual([
      ['one', false],
      ['another', true],
    ])
    expect([...queries]).toEqual([[hashKey(PERMISSIONS), undefined]])
  })

  test('applies events to rooms that aren’t in memory', () => {
    const event = { event: 'message.deleted', channelId: 'channel', data: { roomId: 'one', message: { id: '0001' } } }
    const events = new Map([['one', [event as unknown as PortalEvent<MessageEvent>]]])
    const { rooms } = copyChanges(copyOf([room('one', 1), room('two', 2)]), { ...nothingKnown, events })
    expect([...rooms.keys()]).toEqual(['one'])
    expect(rooms.get('one')?.messages.map(({ id }) => id)).toEqual(['0000', '0002'])
  })

  test('removes channels and rooms that the account can’t read anymore, also from lists', () => {
    const list = { categories: [], rooms: [{ id: 'one' }, { id: 'two' }] }
    const elsewhere = ['rooms', 'another channel']
    const stored = copyOf(
      [room('one', 1), room('two', 2)],
      [query(PERMISSIONS, {}), query(['rooms', 'channel'], list), query(elsewhere, list), query(['channels'], [])],
    )
    const readable = { channelIds: new Set(['channel']), roomIds: new Set(['two']) }
    const { rooms, queries } = copyChanges(stored, { ...nothingKnown, readable })
    expect([...rooms]).toEqual([['one', undefined]])
    expect(Object.fromEntries(queries)).toEqual({
      [hashKey(PERMISSIONS)]: undefined,
      [hashKey(elsewhere)]: undefined,
      [hashKey(['rooms', 'channel'])]: query(['rooms', 'channel'], { categories: [], rooms: [{ id: 'two' }] }),
    })
  })
  test('stores no hidden room of a list that is out of date', () => {
    const list = { categories: [], rooms: [{ id: 'one' }, { id: 'two' }] }
    const outdated = query(['rooms', 'channel'], list)
    const readable = { channelIds: new Set(['channel']), roomIds: new Set(['two']) }
    const known = { ...nothingKnown, readable, queries: new Map([[hashKey(outdated.queryKey), outdated]]) }
    const { queries } = copyChanges(copyOf([]), known)
    expect([...queries.values()]).toEqual([query(outdated.queryKey, { categories: [], rooms: [{ id: 'two' }] })])
  })
})
