import type { OperationName, RoomType } from '@portico/contract'
import { m } from '#paraglide/messages.js'

interface Action {
  readonly operation: OperationName
  readonly label: () => string
  /** Where it happens: in a room of one of these types, in a channel, or nowhere in particular. */
  readonly rooms?: readonly RoomType[]
  readonly channel?: true
  /** It works everywhere, but what people see of it depends on the room. */
  readonly isOffered?: true
}

const text = { rooms: ['text'], channel: true } as const
const voice = { rooms: ['voice'], channel: true } as const
const channel = { channel: true } as const
const offered = { isOffered: true } as const

/** What a bot can do, in a developer's words. A test compares the list with the contract. */
export const ACTIONS = [
  { operation: 'sendMessage', label: m.applications_action_send_message, ...text },
  { operation: 'startMessage', label: m.applications_action_start_message, ...text },
  { operation: 'appendToMessage', label: m.applications_action_append_to_message, ...text },
  { operation: 'finishMessage', label: m.applications_action_finish_message, ...text },
  { operation: 'showNotice', label: m.applications_action_show_notice, ...text },
  { operation: 'uploadFile', label: m.applications_action_upload_file, ...text },
  { operation: 'listMessages', label: m.applications_action_list_messages, ...text },
  { operation: 'editMessage', label: m.applications_action_edit_message, ...text },
  { operation: 'deleteMessage', label: m.applications_action_delete_message, ...text },
  { operation: 'deleteAnyMessage', label: m.applications_action_delete_any_message, ...text },
  { operation: 'addReaction', label: m.applications_action_add_reaction, ...text },
  { operation: 'removeReaction', label: m.applications_action_remove_reaction, ...text },
  { operation: 'pinMessage', label: m.applications_action_pin_message, ...text },
  { operation: 'unpinMessage', label: m.applications_action_unpin_message, ...text },
  { operation: 'joinVoice', label: m.applications_action_join_voice, ...voice },
  { operation: 'leaveVoice', label: m.applications_action_leave_voice, ...voice },
  { operation: 'muteChat', label: m.applications_action_mute_chat, ...channel },
  { operation: 'unmuteChat', label: m.applications_action_unmute_chat, ...channel },
  { operation: 'muteVoice', label: m.applications_action_mute_voice, ...channel },
  { operation: 'unmuteVoice', label: m.applications_action_unmute_voice, ...channel },
  { operation: 'moveMember', label: m.applications_action_move_member, ...voice },
  { operation: 'disconnectMember', label: m.applications_action_disconnect_member, ...channel },
  { operation: 'kickMember', label: m.applications_action_kick_member, ...channel },
  { operation: 'getChannel', label: m.applications_action_get_channel, ...channel },
  { operation: 'listRooms', label: m.applications_action_list_rooms, ...channel },
  { operation: 'listMembers', label: m.applications_action_list_members, ...channel },
  { operation: 'replaceCommands', label: m.applications_action_replace_commands, ...offered },
  { operation: 'sendSuggestions', label: m.applications_action_send_suggestions, ...offered },
  { operation: 'listCommands', label: m.applications_action_list_commands },
  { operation: 'getEventToken', label: m.applications_action_get_event_token },
  { operation: 'setWebhook', label: m.applications_action_set_webhook },
  { operation: 'getWebhook', label: m.applications_action_get_webhook },
  { operation: 'deleteWebhook', label: m.applications_action_delete_webhook },
  { operation: 'getProfile', label: m.applications_action_get_profile },
  { operation: 'getScopes', label: m.applications_action_get_scopes },
] as const satisfies readonly Action[]

export type ActionName = (typeof ACTIONS)[number]['operation']

export function actionOf(name: ActionName): Action {
  const action: Action | undefined = ACTIONS.find(({ operation }) => operation === name)
  if (!action) throw new Error(`no action ${name}`)
  return action
}
