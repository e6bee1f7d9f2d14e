import type { RoomMessage } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { changeBetween, layOut, type Row } from './lay-out.ts'
import type { Unsent } from './outbox.svelte.ts'

const ADA = { id: 'ada', name: 'Ada', channelNickname: null, avatar: '', avatarVersion: 0, isBot: false }
const BEN = { ...ADA, id: 'ben', name: 'Ben' }
const NOON = new Date(2026, 4, 6, 12).getTime()

function message(id: string, minutes: number, more: Partial<RoomMessage> = {}): RoomMessage {
  const createdAt = new Date(NOON + minutes * 60_000).toISOString()
  return { id, text: id, createdAt, author: ADA, mentions: [], reactions: [], ...more }
}

function unsent(key: string, more: Partial<Unsent> = {}): Unsent {
  return { key, text: key, typed: key, replyTo: undefined, createdAt: new Date(NOON).toISOString(), ...more }
}

interface Given {
  messages: RoomMessage[]
  unsent?: Unsent[]
  hasOlder?: boolean
  firstNewId?: string
}

function rowsOf({ messages, unsent = [], hasOlder = true, firstNewId }: Given, before?: readonly Row[]): Row[] {
  return layOut({ messages, unsent, me: ADA, hasOlder, firstNewId, keyOf: ({ id }) => id }, before)
}

function heads(rows: readonly Row[]): string[] {
  return rows.filter(({ head }) => head).map(({ key }) => key)
}

describe('layOut', () => {
  test('groups messages that one author sends within minutes', () => {
    const messages = [
      message('a', 0),
      message('b', 6.9),
      message('c', 14),
      message('d', 15, { author: BEN }),
      message('e', 16),
    ]
    expect(heads(rowsOf({ messages }))).toEqual(['a', 'c', 'd', 'e'])
  })

  test('starts a new group at a reply, at another day and at the first unread message', () => {
    const replyTo = { id: 'a', author: BEN, text: 'a' }
    const messages = [
      message('a', 0),
      message('b', 1, { replyTo }),
      message('c', 2),
      message('d', 719),
      message('e', 721),
    ]
    const rows = rowsOf({ messages, firstNewId: 'c' })
    expect(heads(rows)).toEqual(['a', 'b', 'c', 'd', 'e'])
    expect(rows.filter(({ newDay }) => newDay).map(({ key }) => key)).toEqual(['e'])
    expect(rows.filter(({ firstNew }) => firstNew).map(({ key }) => key)).toEqual(['c'])
  })

  test('marks the start of the room, with its date, only if nothing precedes it', () => {
    const messages = [message('a', 0), message('b', 1)]
    expect(rowsOf({ messages, hasOlder: false })).toMatchObject([
      { beginning: true, newDay: true },
      { beginning: false, newDay: false },
    ])
    expect(rowsOf({ messages })).toMatchObject([{ beginning: false, newDay: false }, { beginning: false }])
  })

  test('puts unsent messages last, as they were typed', () => {
    const replyTo = message('a', 0)
    const [, sending] = rowsOf({ messages: [message('a', 0)], unsent: [unsent('x', { typed: 'hi @Ben', replyTo })] })
    expect(sending).toMatchObject({
      key: 'x',
      head: true,
      message: { text: 'hi @Ben', author: ADA, replyTo: { id: 'a', text: 'a' } },
    })
  })

  test('returns the same row objects where nothing changed', () => {
    const messages = [message('a', 0), message('b', 1), message('c', 2)]
    const before = rowsOf({ messages })
    const edited = messages.with(1, message('b', 1, { text: 'better' }))
    const after = rowsOf({ messages: edited }, before)
    expect(after.map((row, index) => row === before[index])).toEqual([true, false, true])
    // The row below the deleted one now starts a group.
    expect(rowsOf({ messages: messages.slice(1) }, before).map((row) => before.includes(row))).toEqual([false, true])
  })
})

describe('changeBetween', () => {
  const rows = (keys: string): Row[] => rowsOf({ messages: [...keys].map((key, index) => message(key, index)) })

  test.for([
    ['', 'ab', 'end'],
    ['ab', 'ab', 'end'],
    ['ab', 'abc', 'end'],
    ['abc', 'ab', 'end'],
    ['bc', 'abc', 'start'],
    ['abc', 'bc', 'start'],
    ['abc', 'ac', 'middle'],
    ['ac', 'abc', 'middle'],
    ['ab', 'cd', 'middle'],
  ] as const)('%s to %s: at the %s', ([before, after, where]) => {
    expect(changeBetween(rows(before), rows(after))).toBe(where)
  })
})
