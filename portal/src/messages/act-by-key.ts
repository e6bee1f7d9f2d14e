import type { ConversationContext } from './context.ts'
import type { Row } from './lay-out.ts'
import { actionsFor, type ActionName } from './message-actions.ts'
import { performAction, type Occasion } from './perform-action.ts'

export type ActionKey = 'edit' | 'reply' | 'pin' | 'react' | 'delete'

/**
 * Runs the action of a single-letter shortcut on the focused message. Disallowed actions do nothing; disabled ones say
 * why.
 */
export function actByKey(place: ConversationContext, key: ActionKey, { message }: Row, occasion: Occasion): void {
  const pin = message.pinnedAt === undefined ? 'pin' : 'unpin'
  const wanted: ActionName = key === 'pin' ? pin : key
  const action = actionsFor(place, message).find(({ name }) => name === wanted)
  if (action) performAction(place, action, message, occasion)
}
