import type { QueryClient } from '@tanstack/svelte-query'
import { api } from '#api/api.ts'
import { readStatesQuery } from './read-states.ts'

/** Marks a room as unread from a message on. Returns the message up to which it is read. */
export async function markUnread(client: QueryClient, roomId: string, messageId: string): Promise<string> {
  const { readUpTo } = await api.markRoomUnread({ roomId, messageId })
  await client.invalidateQueries(readStatesQuery)
  return readUpTo
}
