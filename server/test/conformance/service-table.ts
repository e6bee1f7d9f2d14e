import { operations, type Operation, type Right, type Scope } from '@portico/contract'

/** The routes of the bot API, repeated here so that an accidental change of the contract fails a test. */
export interface Row {
  readonly at: string
  readonly scope: Scope | null
  /** The right that the route requires. */
  readonly right?: Right
}

export const ROWS: readonly Row[] = [
  { at: 'GET /me', scope: null },
  { at: 'POST /rooms/{roomId}/messages', scope: 'messages:write', right: 'write_text_room' },
  { at: 'POST /rooms/{roomId}/messages/streams', scope: 'messages:write', right: 'write_text_room' },
  { at: 'POST /rooms/{roomId}/messages/{messageId}/append', scope: 'messages:write', right: 'write_text_room' },
  { at: 'POST /rooms/{roomId}/messages/{messageId}/finish', scope: 'messages:write', right: 'write_text_room' },
  { at: 'POST /rooms/{roomId}/notices', scope: 'messages:write', right: 'write_text_room' },
  { at: 'POST /rooms/{roomId}/files', scope: 'messages:write', right: 'write_text_room' },
  { at: 'GET /rooms/{roomId}/messages', scope: 'messages:read', right: 'read_text_room' },
  { at: 'PATCH /rooms/{roomId}/messages/{messageId}', scope: 'messages:write', right: 'edit_text_msg_you_own' },
  { at: 'DELETE /rooms/{roomId}/messages/{messageId}', scope: 'messages:write', right: 'delete_text_msg_you_own' },
  { at: 'POST /rooms/{roomId}/messages/{messageId}/reactions', scope: 'messages:write', right: 'react_text_msg' },
  { at: 'DELETE /rooms/{roomId}/messages/{messageId}/reactions', scope: 'messages:write', right: 'react_text_msg' },
  { at: 'GET /channels/{channelId}', scope: 'channel:read' },
  { at: 'GET /channels/{channelId}/rooms', scope: 'channel:read' },
  { at: 'GET /channels/{channelId}/members', scope: 'channel:read' },
  { at: 'POST /rooms/{roomId}/voice', scope: 'voice', right: 'join_voice_room' },
  { at: 'DELETE /rooms/{roomId}/voice', scope: 'voice' },
  { at: 'POST /rooms/{roomId}/messages/{messageId}/pin', scope: 'moderation', right: 'pin_text_msg' },
  { at: 'DELETE /rooms/{roomId}/messages/{messageId}/pin', scope: 'moderation', right: 'pin_text_msg' },
  { at: 'PUT /channels/{channelId}/members/{userId}/chat-mute', scope: 'moderation', right: 'mute_chat_member' },
  { at: 'DELETE /channels/{channelId}/members/{userId}/chat-mute', scope: 'moderation', right: 'mute_chat_member' },
  { at: 'PUT /channels/{channelId}/members/{userId}/voice-mute', scope: 'moderation', right: 'mute_voice_member' },
  { at: 'DELETE /channels/{channelId}/members/{userId}/voice-mute', scope: 'moderation', right: 'mute_voice_member' },
  { at: 'DELETE /channels/{channelId}/members/{userId}/voice', scope: 'moderation', right: 'move_voice_member' },
  { at: 'PUT /channels/{channelId}/members/{userId}/room', scope: 'moderation', right: 'move_voice_member' },
  { at: 'DELETE /channels/{channelId}/members/{userId}', scope: 'moderation', right: 'kick_member' },
  {
    at: 'DELETE /channels/{channelId}/messages/{messageId}',
    scope: 'moderation',
    right: 'delete_text_msg_any',
  },
  { at: 'GET /commands', scope: 'commands' },
  { at: 'PUT /commands', scope: 'commands' },
]

/** The routes about events. Only their scopes are tested here; the transports have their own tests. */
export const EVENT_ROWS: readonly Row[] = [
  { at: 'GET /events/token', scope: 'events' },
  { at: 'PUT /webhook', scope: 'events' },
  { at: 'GET /webhook', scope: 'events' },
  { at: 'DELETE /webhook', scope: 'events' },
  { at: 'PUT /option-requests/{requestId}/suggestions', scope: 'commands' },
]

/** The operation of a row. */
export function operationAt({ at }: Pick<Row, 'at'>): readonly [name: string, operation: Operation] {
  const path = at.replaceAll(/\{(\w+)\}/g, ':$1')
  const found = [...operations].find(([, operation]) => operation.at === path && operation.by !== 'person')
  if (!found) throw new Error(`no operation of bots is at ${at}`)
  return found
}
