import { Type } from 'typebox'
import { ChannelId, UserId, VoiceRoomId } from './ids.ts'
import { LIMITS } from './limits.ts'
import { nothing, ok, operation } from './operation.ts'
import { Integer, named, Nullable, Text, Timestamp } from './schema.ts'

const reason = Type.Optional(
  Text(0, LIMITS.reason, { description: 'For the audit log', examples: ['Advertising in every room'] }),
)
const ofMember = { channelId: ChannelId, userId: { ...UserId, description: 'A member of the channel' } }

const durationSec = Type.Optional(
  Integer(1, LIMITS.muteSeconds, { description: 'How long, at most 28 days. Absent for no end', examples: [600] }),
)

/** Acts only on members whose highest role ranks below the caller's. */
const ofOthers = ['notAMember', 'outranked'] as const

const Mute = named(
  'Mute',
  Type.Object({
    userId: UserId,
    mutedUntil: Nullable({ ...Timestamp, description: 'When the mute ends. Null if it has no end' }),
  }),
)

export const muteChat = operation({
  at: 'PUT /channels/:channelId/members/:userId/chat-mute',
  summary: 'Mute a member in chat: no sending, editing or reacting',
  by: 'member',
  scope: 'moderation',
  access: { channel: true, right: 'mute_chat_member', exclusive: true },
  refusals: ofOthers,
  input: Type.Object({ ...ofMember, durationSec, reason }),
  output: ok(Mute),
})

export const unmuteChat = operation({
  at: 'DELETE /channels/:channelId/members/:userId/chat-mute',
  summary: 'Unmute a member in chat',
  by: 'member',
  scope: 'moderation',
  access: { channel: true, right: 'mute_chat_member', exclusive: true },
  refusals: ofOthers,
  input: Type.Object({ ...ofMember, reason }),
  output: nothing,
})

export const muteVoice = operation({
  at: 'PUT /channels/:channelId/members/:userId/voice-mute',
  summary: 'Mute a member in voice; they stay in the room',
  by: 'member',
  scope: 'moderation',
  access: { channel: true, right: 'mute_voice_member', exclusive: true },
  refusals: ofOthers,
  input: Type.Object({ ...ofMember, durationSec, reason }),
  output: ok(Mute),
})

export const unmuteVoice = operation({
  at: 'DELETE /channels/:channelId/members/:userId/voice-mute',
  summary: 'Unmute a member in voice',
  by: 'member',
  scope: 'moderation',
  access: { channel: true, right: 'mute_voice_member', exclusive: true },
  refusals: ofOthers,
  input: Type.Object({ ...ofMember, reason }),
  output: nothing,
})

export const disconnectMember = operation({
  at: 'DELETE /channels/:channelId/members/:userId/voice',
  summary: 'Disconnect a member from their voice room',
  by: 'member',
  scope: 'moderation',
  access: { channel: true, right: 'move_voice_member', exclusive: true },
  refusals: [...ofOthers, 'notInVoice'],
  input: Type.Object({ ...ofMember, reason }),
  output: nothing,
})

export const moveMember = operation({
  at: 'PUT /channels/:channelId/members/:userId/room',
  summary: 'Move a member to another voice room',
  by: 'member',
  scope: 'moderation',
  access: { room: ['voice'], right: 'move_voice_member', exclusive: true },
  refusals: [...ofOthers, 'notInVoice', 'memberNotAdmitted', 'roomFull'],
  input: Type.Object({ ...ofMember, roomId: { ...VoiceRoomId, description: 'The voice room to move to' }, reason }),
  output: ok(named('Move', Type.Object({ userId: UserId, roomId: VoiceRoomId }))),
})

export const kickMember = operation({
  at: 'DELETE /channels/:channelId/members/:userId',
  summary: 'Remove a member from the channel; they need an invitation to come back',
  by: 'member',
  scope: 'moderation',
  access: { channel: true, right: 'kick_member', exclusive: true },
  refusals: ofOthers,
  input: Type.Object({ ...ofMember, reason }),
  output: nothing,
})
