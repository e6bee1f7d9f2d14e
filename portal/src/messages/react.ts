import type { RoomMessage } from '@portico/contract'
import { api } from '#api/api.ts'
import { createChoice, type Choice } from '#ui/choice.svelte.ts'
import type { ConversationContext } from './context.ts'
import { showReaction } from './show-reaction.ts'

/** Reactions that are being saved, by message and emoji. */
const choices = new Map<string, Choice<boolean>>()

/** Adds or removes the account's reaction: shown immediately, and undone if the server refuses. */
export async function react({ history }: ConversationContext, message: RoomMessage, emoji: string): Promise<void> {
  const input = { channelId: history.channelId, roomId: history.roomId, messageId: message.id, emoji }
  const show = (mine: boolean): void => showReaction(history.window, message.id, emoji, mine)
  const key = `${message.id} ${emoji}`
  const choice =
    choices.get(key) ??
    createChoice(async (mine: boolean) => {
      try {
        await (mine ? api.addReaction(input) : api.removeReaction(input))
      } catch (error) {
        show(!mine)
        throw error
      }
    })
  choices.set(key, choice)
  const mine = !(choice.wanted ?? message.reactions.some((one) => one.emoji === emoji && one.mine))
  show(mine)
  await choice.choose(mine)
  if (choice.wanted === undefined) choices.delete(key)
}
