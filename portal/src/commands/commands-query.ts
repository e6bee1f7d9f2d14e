import { queryOptions, type QueryClient } from '@tanstack/svelte-query'
import { api, type OperationOutput } from '#api/api.ts'

type Listed = OperationOutput<'listChannelCommands'>
export type OfferedCommand = Listed['commands'][number]

/** The commands of all bots in a channel, in the order in which each bot declared them. */
export function channelCommandsQuery(channelId: string) {
  return queryOptions({
    queryKey: ['of-channel', channelId, 'commands'],
    queryFn: ({ signal }) => api.listChannelCommands({ channelId }, { signal }),
  })
}

/**
 * The commands of the bots that can read and write in a room. Fetched for all rooms at once, so switching rooms needs
 * no request.
 */
export function commandsQuery(channelId: string, roomId: string) {
  return {
    ...channelCommandsQuery(channelId),
    select: ({ commands, silent }: Listed): OfferedCommand[] => {
      const away = new Set(silent.filter(({ roomIds }) => roomIds.includes(roomId)).map(({ botId }) => botId))
      return commands.filter(({ bot }) => !away.has(bot.id))
    },
  }
}

/** Resolves when the composer can be shown: a button that appears later would shift it. */
export async function commandsKnown(client: QueryClient, channelId: string): Promise<void> {
  // If the commands can't be loaded, the composer is shown anyway; the button retries.
  await client.ensureQueryData({ ...channelCommandsQuery(channelId), retry: false }).catch(() => undefined)
}
