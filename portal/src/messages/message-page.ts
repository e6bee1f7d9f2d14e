import type { RoomMessage } from '@portico/contract'
import { api } from '#api.ts'

/** How many messages come at a time. */
export const PAGE = 50

/** Messages that follow each other without a hole, oldest first. */
export interface MessagePage {
  readonly messages: readonly RoomMessage[]
  readonly hasOlder: boolean
  readonly hasNewer: boolean
  /** Messages with a greater id are new to the reader. */
  readonly readUpTo: string
}

/** A distance below the upper edge at which a message stands. */
export interface Spot {
  readonly messageId: string
  readonly distance: number
}

/** Where a window was opened: at the end, around a message that was asked for, at what is new, or where one had been. */
export type Opening =
  | { readonly at: 'end' }
  | { readonly at: 'message' | 'new'; readonly messageId: string }
  | { readonly at: 'spot'; readonly spot: Spot }

export type Opened = MessagePage & { readonly opening: Opening }

type Which = { readonly beforeId: string } | { readonly afterId: string } | { readonly aroundId: string }

export function fetchMessagePage(roomId: string, which: Which): Promise<MessagePage> {
  return api.readHistory({ roomId, limit: PAGE, ...which })
}

export function fetchNewestPage(roomId: string): Promise<MessagePage> {
  return api.readHistory({ roomId, limit: PAGE })
}

/** What is new to the reader, or the end when nothing is. The newest stretch may be known already. */
export async function fetchUnreadOrNewest(roomId: string, readerId: string, known?: MessagePage): Promise<Opened> {
  const newest = known ?? (await fetchNewestPage(roomId))
  const firstNew = newest.messages.find(({ id, author }) => id > newest.readUpTo && author.id !== readerId)
  if (!firstNew) return { ...newest, opening: { at: 'end' } }
  if (firstNew !== newest.messages[0] || !newest.hasOlder) {
    return { ...newest, opening: { at: 'new', messageId: firstNew.id } }
  }
  // More than a page is new: open where it begins.
  const around = await fetchMessagePage(roomId, { aroundId: newest.readUpTo })
  const first = around.messages.find(({ id }) => id > newest.readUpTo) ?? around.messages.at(-1)
  return { ...around, opening: first ? { at: 'new', messageId: first.id } : { at: 'end' } }
}
