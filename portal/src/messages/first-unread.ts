import type { RoomMessage } from '@portico/contract'

interface Window {
  readonly messages: readonly RoomMessage[]
  readonly hasOlder: boolean
}

/** The message before which the line "New" stands: the first of others after the last one seen, if it is in the window. */
export function firstUnreadIn(
  { messages, hasOlder }: Window,
  seenUpTo: string | undefined,
  myId: string,
): string | undefined {
  if (seenUpTo === undefined) return undefined
  const index = messages.findIndex(({ id, author }) => id > seenUpTo && author.id !== myId)
  // Of a window that begins among new messages nobody knows which was the first.
  return index > 0 || !hasOlder ? messages[index]?.id : undefined
}

/** How many messages of others came after the last one seen, also those that are not in the window yet. */
export function countSince(
  { messages, beyond }: Pick<Window, 'messages'> & { readonly beyond: number },
  seenUpTo: string,
  myId: string,
): number {
  return beyond + messages.filter(({ id, author }) => id > seenUpTo && author.id !== myId).length
}
