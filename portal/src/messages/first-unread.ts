import type { RoomMessage } from '@portico/contract'

interface Window {
  readonly messages: readonly RoomMessage[]
  readonly hasOlder: boolean
}

/** The message below the "New" divider: the first one by others after the last one seen, if it is loaded. */
export function firstUnreadIn(
  { messages, hasOlder }: Window,
  seenUpTo: string | undefined,
  myId: string,
): string | undefined {
  if (seenUpTo === undefined) return undefined
  const index = messages.findIndex(({ id, author }) => id > seenUpTo && author.id !== myId)
  // If the loaded messages begin with unread ones, the first unread message may not be loaded.
  return index > 0 || !hasOlder ? messages[index]?.id : undefined
}

/** The number of messages by others after the last one seen, including those that aren't loaded. */
export function countSince(
  { messages, beyond }: Pick<Window, 'messages'> & { readonly beyond: number },
  seenUpTo: string,
  myId: string,
): number {
  return beyond + messages.filter(({ id, author }) => id > seenUpTo && author.id !== myId).length
}
