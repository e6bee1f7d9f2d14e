import type { OperationName, RoomType } from '@portico/contract'
import { m } from '#paraglide/messages.js'

interface Action {
  readonly operation: OperationName
  readonly words: () => string
  /** Where it happens: in a room of one of these types, on a channel, or nowhere in particular. */
  readonly rooms?: readonly RoomType[]
  readonly channel?: true
}

const text = { rooms: ['text'], channel: true } as const
const voice = { rooms: ['voice'], channel: true } as const
const channel = { channel: true } as const

/** What a bot may want to do, as its developer would say it. A test holds the list to the contract. */
export const ACTIONS = [
  { operation: 'sendMessage', words: m.apps_do_send_message, ...text },
  { operation: 'listMessages', words: m.apps_do_list_messages, ...text },
  { operation: 'editMessage', words: m.apps_do_edit_message, ...text },
  { operation: 'deleteMessage', words: m.apps_do_delete_message, ...text },
  { operation: 'addReaction', words: m.apps_do_add_reaction, ...text },
  { operation: 'removeReaction', words: m.apps_do_remove_reaction, ...text },
  { operation: 'pinMessage', words: m.apps_do_pin_message, ...text },
  { operation: 'unpinMessage', words: m.apps_do_unpin_message, ...text },
  { operation: 'joinVoice', words: m.apps_do_join_voice, ...voice },
  { operation: 'leaveVoice', words: m.apps_do_leave_voice, ...voice },
  { operation: 'muteChat', words: m.apps_do_mute_chat, ...channel },
  { operation: 'unmuteChat', words: m.apps_do_unmute_chat, ...channel },
  { operation: 'muteVoice', words: m.apps_do_mute_voice, ...channel },
  { operation: 'unmuteVoice', words: m.apps_do_unmute_voice, ...channel },
  { operation: 'moveMember', words: m.apps_do_move_member, ...voice },
  { operation: 'disconnectMember', words: m.apps_do_disconnect_member, ...channel },
  { operation: 'kickMember', words: m.apps_do_kick_member, ...channel },
  { operation: 'getChannel', words: m.apps_do_get_channel, ...channel },
  { operation: 'listRooms', words: m.apps_do_list_rooms, ...channel },
  { operation: 'listMembers', words: m.apps_do_list_members, ...channel },
  { operation: 'replaceCommands', words: m.apps_do_replace_commands },
  { operation: 'listCommands', words: m.apps_do_list_commands },
  { operation: 'getEventToken', words: m.apps_do_get_event_token },
  { operation: 'setWebhook', words: m.apps_do_set_webhook },
  { operation: 'getWebhook', words: m.apps_do_get_webhook },
  { operation: 'deleteWebhook', words: m.apps_do_delete_webhook },
  { operation: 'getProfile', words: m.apps_do_get_profile },
] as const satisfies readonly Action[]

export type ActionName = (typeof ACTIONS)[number]['operation']

export function actionOf(name: ActionName): Action {
  const action: Action | undefined = ACTIONS.find(({ operation }) => operation === name)
  if (!action) throw new Error(`no action ${name}`)
  return action
}
