import { withReaction } from './message-changes.ts'
import type { MessageWindow } from './message-window.svelte.ts'

/** Shows that the reader reacts or no longer does, before the server knows. */
export function showReaction(window: MessageWindow, id: string, emoji: string, mine: boolean): void {
  window.change(id, (message) => {
    const was = message.reactions.find((one) => one.emoji === emoji)
    const count = (was?.count ?? 0) + (mine ? 1 : -1) * Number(mine !== (was?.mine ?? false))
    return withReaction(message, { emoji, count, mine })
  })
}
