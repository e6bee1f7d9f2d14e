import { Type } from 'typebox'
import { LIMITS } from './limits.ts'
import { nothing, ok, operation } from './operation.ts'
import { Id, Integer, named, Nullable, Text, Timestamp } from './schema.ts'

const reason = Type.Optional(Text(0, LIMITS.reason, { description: 'For the audit log' }))
const ofMember = { channelId: Id, userId: Id, reason }

const durationSec = Type.Optional(Integer(1, LIMITS.muteSeconds, { description: 'Until lifted unless told' }))

const Mute = named(
  'Mute',
  Type.Object({ userId: Id, mutedUntil: Nullable({ ...Timestamp, description: 'Null: until lifted' }) }),
)

export const muteChat = operation({
  at: 'PUT /channels/:channelId/members/:userId/chat-mute',
  summary: 'Keep a member from sending, editing and reacting',
  by: 'member',
  scope: 'moderation',
  access: { channel: true, right: 'mute_chat_member' },
  input: Type.Object({ ...ofMember, durationSec }),
  output: ok(Mute),
})

export const unmuteChat = operation({
  at: 'DELETE /channels/:channelId/members/:userId/chat-mute',
  summary: 'Let a member write again',
  by: 'member',
  scope: 'moderation',
  access: { channel: true, right: 'mute_chat_member' },
  input: Type.Object(ofMember),
  output: nothing,
})

export const muteVoice = operation({
  at: 'PUT /channels/:channelId/members/:userId/voice-mute',
  summary: 'Keep a member from talking; they stay in the room and are silent at once',
  by: 'member',
  scope: 'moderation',
  access: { channel: true, right: 'mute_voice_member' },
  input: Type.Object({ ...ofMember, durationSec }),
  output: ok(Mute),
})

export const unmuteVoice = operation({
  at: 'DELETE /channels/:channelId/members/:userId/voice-mute',
  summary: 'Let a member talk again',
  by: 'member',
  scope: 'moderation',
  access: { channel: true, right: 'mute_voice_member' },
  input: Type.Object(ofMember),
  output: nothing,
})

export const disconnectMember = operation({
  at: 'DELETE /channels/:channelId/members/:userId/voice',
  summary: 'Take a member out of their voice room',
  by: 'member',
  scope: 'moderation',
  access: { channel: true, right: 'move_voice_member' },
  input: Type.Object(ofMember),
  output: nothing,
})

export const moveMember = operation({
  at: 'PUT /channels/:channelId/members/:userId/room',
  summary: 'Move a member to another voice room',
  by: 'member',
  scope: 'moderation',
  access: { channel: true, right: 'move_voice_member' },
  input: Type.Object({ ...ofMember, roomId: Id }),
  output: ok(named('Move', Type.Object({ userId: Id, roomId: Id }))),
})

export const kickMember = operation({
  at: 'DELETE /channels/:channelId/members/:userId',
  summary: 'Remove a member from the whole channel; they may come back by invitation only',
  by: 'member',
  scope: 'moderation',
  access: { channel: true, right: 'kick_member', exclusive: true },
  input: Type.Object(ofMember),
  output: nothing,
})
