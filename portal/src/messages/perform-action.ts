import type { RoomMessage } from '@portico/contract'
import { withNames } from '@portico/contract/mentions'
import { api } from '#api/api.ts'
import { explainError } from '#api/explain-error.ts'
import { displayName } from '#members/display-name.ts'
import { m } from '#paraglide/messages.js'
import { copyText } from '#ui/copy-text.ts'
import { showToast } from '#ui/toasts.svelte.ts'
import type { ConversationContext } from './context.ts'
import type { Action } from './message-actions.ts'
import { react } from './react.ts'

export interface Occasion {
  /** The element the action was started from: pickers open next to it. */
  readonly from: HTMLElement
  /** Shift was held: no confirmation. */
  readonly atOnce: boolean
}

export function performAction(
  place: ConversationContext,
  { name, closed }: Pick<Action, 'name' | 'closed'>,
  message: RoomMessage,
  { from, atOnce }: Occasion,
): void {
  if (closed) return showToast(closed)
  switch (name) {
    case 'react':
      return place.pickEmoji(from, (emoji) => void react(place, message, emoji))
    case 'reply':
      return place.reply(message)
    case 'edit':
      return place.edit(message)
    case 'pin':
    case 'unpin':
      return void attempt(() => pin(place, message, name === 'pin'))
    case 'markUnread':
      return void attempt(() => place.markUnread(message))
    case 'copyText':
      return void copy(textOf(message))
    case 'copyLink':
      return void copy(location.origin + place.addressOf(message.id))
    case 'delete':
      return atOnce ? void deleteMessage(place, message) : place.askToDelete(message)
  }
}

export async function deleteMessage({ history }: ConversationContext, message: RoomMessage): Promise<void> {
  const { channelId, roomId } = history
  await attempt(() => api.deleteMessage({ channelId, roomId, messageId: message.id }))
}

async function pin({ history }: ConversationContext, message: RoomMessage, wanted: boolean): Promise<void> {
  const input = { channelId: history.channelId, roomId: history.roomId, messageId: message.id }
  if (wanted) await api.pinMessage(input)
  else await api.unpinMessage(input)
}

function textOf({ text, mentions }: RoomMessage): string {
  const names = new Map(mentions.map((member) => [member.id, displayName(member)]))
  return withNames(text, (id) => names.get(id))
}

async function copy(text: string): Promise<void> {
  if (!(await copyText(text))) showToast(m.copy_failed)
}

async function attempt(work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    showToast(() => explainError(error))
  }
}
