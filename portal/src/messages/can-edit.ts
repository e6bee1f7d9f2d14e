import type { RoomMessage } from '@portico/contract'
import { LIMITS } from '@portico/contract/limits'
import type { ConversationContext } from './context.ts'

/** Whether a message is one's own and young enough. */
export function canEdit(
  { account, may }: Pick<ConversationContext, 'account' | 'may'>,
  { author, createdAt }: RoomMessage,
): boolean {
  const age = Date.now() - Date.parse(createdAt)
  return author.id === account.id && age < LIMITS.editSeconds * 1000 && may('edit_text_msg_you_own')
}
