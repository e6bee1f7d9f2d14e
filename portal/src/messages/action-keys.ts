import { explainError } from '#api/explain-error.ts'
import type { ShortcutAction } from '#shortcuts/shortcuts.ts'
import { showToast } from '#ui/toasts.svelte.ts'
import type { ActionKey } from './act-by-key.ts'
import type { ConversationContext } from './context.ts'
import type { Row } from './lay-out.ts'
import type { Occasion } from './perform-action.ts'

const ACTION_KEYS: ReadonlySet<string | undefined> = new Set<ActionKey>(['edit', 'reply', 'pin', 'react', 'delete'])

export function isActionKey(action: ShortcutAction<'messages'> | undefined): action is ActionKey {
  return ACTION_KEYS.has(action)
}

/** The actions are loaded with the first of them. */
export async function actLater(
  place: ConversationContext,
  key: ActionKey,
  row: Row,
  occasion: Occasion,
): Promise<void> {
  try {
    const { actByKey } = await import('./act-by-key.ts')
    actByKey(place, key, row, occasion)
  } catch (error) {
    showToast(() => explainError(error))
  }
}
