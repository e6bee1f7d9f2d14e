import type { QueryClient } from '@tanstack/svelte-query'
import { api } from '#api/api.ts'
import { createChoice, type Choice } from '#ui/choice.svelte.ts'
import { readStatesQuery } from './read-states.ts'

const choices = new Map<string, Choice<boolean>>()

/** Whether a room is muted, as every control of the page wants it. */
export function roomMute(client: QueryClient, roomId: string): Choice<boolean> {
  const choice =
    choices.get(roomId) ??
    createChoice(async (muted: boolean) => {
      await api.updateRoomNotifications({ roomId, muted })
      await client.invalidateQueries(readStatesQuery)
    })
  choices.set(roomId, choice)
  return choice
}
