import type { RoomMessage } from '@portico/contract'
import { m } from '#paraglide/messages.js'
import type { IconName } from '#ui/Icon.svelte'
import { couldEdit, isTooOldToEdit } from './can-edit.ts'
import type { ConversationContext } from './context.ts'

export type ActionName =
  | 'react'
  | 'reply'
  | 'edit'
  | 'pin'
  | 'unpin'
  | 'markUnread'
  | 'copyLink'
  | 'copyText'
  | 'delete'

export interface Action {
  readonly name: ActionName
  readonly icon: IconName
  readonly label: () => string
  /** Why the action is disabled. Absent: it is enabled. */
  readonly closed?: () => string
}

const ACTIONS = {
  react: { icon: 'smile', label: m.action_react },
  reply: { icon: 'reply', label: m.action_reply },
  edit: { icon: 'pencil', label: m.action_edit },
  pin: { icon: 'pin', label: m.action_pin },
  unpin: { icon: 'pin', label: m.action_unpin },
  markUnread: { icon: 'eyeOff', label: m.action_mark_unread },
  copyText: { icon: 'copy', label: m.action_copy_text },
  copyLink: { icon: 'link', label: m.action_copy_link },
  delete: { icon: 'trash', label: m.action_delete },
} as const satisfies Record<ActionName, Omit<Action, 'name' | 'closed'>>

const TOO_OLD = { closed: m.refused_too_old_to_edit }

type Judge = Pick<ConversationContext, 'account' | 'may'>

/** The actions that a person has for a message now, in the order they are shown. */
export function actionsFor(judge: Judge, message: RoomMessage): Action[] {
  const own = message.author.id === judge.account.id
  const allowed: Record<ActionName, boolean> = {
    react: judge.may('react_text_msg'),
    reply: judge.may('write_text_room'),
    edit: couldEdit(judge, message),
    pin: message.pinnedAt === undefined && judge.may('pin_text_msg'),
    unpin: message.pinnedAt !== undefined && judge.may('pin_text_msg'),
    markUnread: true,
    copyText: true,
    copyLink: true,
    delete: judge.may('delete_text_msg_any') || (own && judge.may('delete_text_msg_you_own')),
  }
  const names = Object.keys(ACTIONS) as ActionName[]
  return names
    .filter((name) => allowed[name])
    .map((name) => ({ name, ...ACTIONS[name], ...(name === 'edit' && isTooOldToEdit(message) && TOO_OLD) }))
}
