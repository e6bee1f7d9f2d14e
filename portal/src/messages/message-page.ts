import type { RoomMessage } from '@portico/contract'
import { api } from '#api/api.ts'

/** Messages per request. */
export const PAGE = 50

/** Consecutive messages, oldest first. */
export interface MessagePage {
  readonly messages: readonly RoomMessage[]
  readonly hasOlder: boolean
  readonly hasNewer: boolean
  /** Messages with a greater id are unread. */
  readonly readUpTo: string
}

/** The newest messages of a room, as this browser has stored them. */
export interface CopiedPage extends MessagePage {
  readonly isCopy: true
}

/** A scroll position: a message and its distance from the upper edge. */
export interface Spot {
  readonly messageId: string
  readonly distance: number
}

/** Where a window opens: at the end, around a linked message, at the first unread one, or where the reader was. */
export type InitialPosition =
  | { readonly at: 'end' }
  | { readonly at: 'message' | 'new'; readonly messageId: string }
  | { readonly at: 'spot'; readonly spot: Spot }

export type OpenedPage = (MessagePage | CopiedPage) & { readonly initialPosition: InitialPosition }

type Which = { readonly beforeId: string } | { readonly afterId: string } | { readonly aroundId: string }

export function fetchMessagePage(roomId: string, which: Which): Promise<MessagePage> {
  return api.readHistory({ roomId, limit: PAGE, ...which })
}

export function fetchNewestPage(roomId: string): Promise<MessagePage> {
  return api.readHistory({ roomId, limit: PAGE })
}

/** The page with the first unread message, or the newest page. The newest page may be known already. */
export async function fetchUnreadOrNewest(roomId: string, readerId: string, known?: MessagePage): Promise<OpenedPage> {
  const newest = known ?? (await fetchNewestPage(roomId))
  const firstNew = newest.messages.find(({ id, author }) => id > newest.readUpTo && author.id !== readerId)
  if (!firstNew) return { ...newest, initialPosition: { at: 'end' } }
  if (firstNew !== newest.messages[0] || !newest.hasOlder) {
    return { ...newest, initialPosition: { at: 'new', messageId: firstNew.id } }
  }
  // More than a page is unread: open where it begins.
  const around = await fetchMessagePage(roomId, { aroundId: newest.readUpTo })
  const first = around.messages.find(({ id }) => id > newest.readUpTo) ?? around.messages.at(-1)
  return { ...around, initialPosition: first ? { at: 'new', messageId: first.id } : { at: 'end' } }
}
