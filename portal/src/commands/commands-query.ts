import { queryOptions } from '@tanstack/svelte-query'
import type { Answered } from '#api.ts'
import { call } from '#api.ts'

export type OfferedCommand = Answered<'GET /channels/:channelId/commands'>['commands'][number]

/** The commands of the bots that can read and write in a room, in the order in which each bot declared its own. */
export function commandsQuery(channelId: string, roomId: string) {
  return queryOptions({
    queryKey: ['of-channel', channelId, 'commands', roomId],
    queryFn: async ({ signal }) =>
      (await call('GET /channels/:channelId/commands', { channelId, roomId }, { signal })).commands,
  })
}
