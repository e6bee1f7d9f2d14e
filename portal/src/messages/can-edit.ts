import type { RoomMessage } from '@portico/contract'
import { LIMITS } from '@portico/contract/limits'
import type { ConversationContext } from './context.ts'

type Judge = Pick<ConversationContext, 'account' | 'may'>

/** Whether a message is the account's own and recent enough. */
export function canEdit(judge: Judge, message: RoomMessage): boolean {
  return couldEdit(judge, message) && !isTooOldToEdit(message)
}

/** Whether a message is the account's own, however old. */
export function couldEdit({ account, may }: Judge, { author }: RoomMessage): boolean {
  return author.id === account.id && may('edit_text_msg_you_own')
}

export function isTooOldToEdit({ createdAt }: RoomMessage): boolean {
  return Date.now() - Date.parse(createdAt) >= LIMITS.editSeconds * 1000
}
