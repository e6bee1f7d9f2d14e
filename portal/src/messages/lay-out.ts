import type { RoomMessage } from '@portico/contract'
import type { Unsent } from './outbox.svelte.ts'

const GROUP_MS = 7 * 60_000

/** A message as a row of the list. */
export interface Row {
  readonly key: string
  readonly message: RoomMessage
  /** The first row of a group by the same author: shown with picture and name. */
  readonly head: boolean
  /** Preceded by the date. */
  readonly newDay: boolean
  /** Preceded by the "New" divider. */
  readonly firstNew: boolean
  /** The first message of the room. */
  readonly beginning: boolean
  /** Not on the server yet. */
  readonly unsent: Unsent | undefined
}

interface Shown {
  readonly messages: readonly RoomMessage[]
  readonly unsent: readonly Unsent[]
  readonly me: RoomMessage['author']
  readonly hasOlder: boolean
  readonly firstNewId: string | undefined
  readonly keyOf: (message: RoomMessage) => string
}

/** Groups messages by author and time; a reply, another day and the "New" divider start a new group. */
export function layOut(
  { messages, unsent, me, hasOlder, firstNewId, keyOf }: Shown,
  before: readonly Row[] = [],
): Row[] {
  const known = new Map(before.map((row) => [row.key, row]))
  const entries = [
    ...messages.map((message) => ({ key: keyOf(message), message, unsent: undefined })),
    ...unsent.map((one) => ({ key: one.key, message: asMessage(one, me), unsent: one })),
  ]
  return entries.map((entry, index) => {
    const { message } = entry
    const previous = entries[index - 1]?.message
    const newDay = previous === undefined ? !hasOlder : dayOf(previous) !== dayOf(message)
    const firstNew = message.id === firstNewId
    const head = newDay || firstNew || message.replyTo !== undefined || !continues(previous, message)
    const row: Row = { ...entry, head, newDay, firstNew, beginning: index === 0 && !hasOlder }
    const same = known.get(row.key)
    return same && isSame(same, row) ? same : row
  })
}

/** Where rows were added or removed: the list keeps its scroll position differently for each. */
export function changeBetween(before: readonly Row[], after: readonly Row[]): 'start' | 'end' | 'middle' {
  const [first, last] = [before[0], before.at(-1)]
  if (!first || !last || before === after) return 'end'
  const offset = after.length - before.length
  if (startsAlike(before, after)) return 'end'
  const sameFromEnd = before.every((row, index) => index + offset < 0 || after[index + offset]?.key === row.key)
  return sameFromEnd ? 'start' : 'middle'
}

function startsAlike(before: readonly Row[], after: readonly Row[]): boolean {
  const [shorter, longer] = before.length < after.length ? [before, after] : [after, before]
  return shorter.every((row, index) => row.key === longer[index]?.key)
}

function asMessage({ key, typed, createdAt, replyTo }: Unsent, me: RoomMessage['author']): RoomMessage {
  return {
    id: key,
    text: typed,
    createdAt,
    author: me,
    mentions: [],
    reactions: [],
    ...(replyTo && { replyTo: { id: replyTo.id, author: replyTo.author, text: replyTo.text } }),
  }
}

function continues(previous: RoomMessage | undefined, message: RoomMessage): boolean {
  if (previous?.author.id !== message.author.id) return false
  return Date.parse(message.createdAt) - Date.parse(previous.createdAt) < GROUP_MS
}

function dayOf({ createdAt }: RoomMessage): string {
  return new Date(createdAt).toDateString()
}

function isSame(a: Row, b: Row): boolean {
  if (a.unsent !== b.unsent || (a.unsent === undefined && a.message !== b.message)) return false
  return a.head === b.head && a.newDay === b.newDay && a.firstNew === b.firstNew && a.beginning === b.beginning
}
