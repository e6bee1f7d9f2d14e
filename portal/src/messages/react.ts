import type { RoomMessage } from '@portico/contract'
import { api } from '#api.ts'
import { explainError } from '#explain-error.ts'
import { showToast } from '#ui/toasts.svelte.ts'
import type { ConversationContext } from './context.ts'

/** Adds or removes the account's reaction: shown immediately, and undone if the server refuses. */
export async function react({ history }: ConversationContext, message: RoomMessage, emoji: string): Promise<void> {
  const mine = message.reactions.some((one) => one.emoji === emoji && one.mine)
  const input = { channelId: history.channelId, roomId: history.roomId, messageId: message.id, emoji }
  history.window.showReaction(message.id, emoji, !mine)
  try {
    if (mine) await api.removeReaction(input)
    else await api.addReaction(input)
  } catch (error) {
    history.window.showReaction(message.id, emoji, mine)
    showToast(() => explainError(error))
  }
}
