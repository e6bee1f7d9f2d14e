import { queryOptions, type QueryClient } from '@tanstack/svelte-query'
import { api, type OperationOutput } from '#api.ts'

type Listed = OperationOutput<'listChannelCommands'>
export type OfferedCommand = Listed['commands'][number]

/** The commands of all bots on a channel, in the order in which each bot declared its own. */
export function channelCommandsQuery(channelId: string) {
  return queryOptions({
    queryKey: ['of-channel', channelId, 'commands'],
    queryFn: ({ signal }) => api.listChannelCommands({ channelId }, { signal }),
  })
}

/** Those of the bots that can read and write in a room. Known of all rooms at once: going from one to the next asks nobody. */
export function commandsQuery(channelId: string, roomId: string) {
  return {
    ...channelCommandsQuery(channelId),
    select: ({ commands, silent }: Listed): OfferedCommand[] => {
      const away = new Set(silent.filter(({ roomIds }) => roomIds.includes(roomId)).map(({ botId }) => botId))
      return commands.filter(({ bot }) => !away.has(bot.id))
    },
  }
}

/** Resolves when the field can stand where it will stay: a button that came later would move it. */
export async function commandsKnown(client: QueryClient, channelId: string): Promise<void> {
  // Whoever cannot know them can write all the same, at once: it is the button that asks again.
  await client.ensureQueryData({ ...channelCommandsQuery(channelId), retry: false }).catch(() => undefined)
}
