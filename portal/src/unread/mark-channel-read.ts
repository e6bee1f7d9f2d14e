import type { QueryClient } from '@tanstack/svelte-query'
import { api } from '#api/api.ts'
import { readStatesQuery } from './read-states.ts'

export async function markChannelRead(client: QueryClient, channelId: string): Promise<void> {
  await api.markChannelRead({ channelId })
  await client.invalidateQueries(readStatesQuery)
}
