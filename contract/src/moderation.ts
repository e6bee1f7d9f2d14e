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
  Integer(1, LIMITS.muteSeconds, { description: 'How long, at most 28 days. Absent: until lifted', examples: [600] }),
)

/** Only members whose highest role ranks below one's own are touched. */
const ofOthers = ['notAMember', 'outranked'] as const

const Mute = named(
  'Mute',
  Type.Object({
    userId: UserId,
    mutedUntil: Nullable({ ...Timestamp, description: 'The mute ends by itself then. Null: until lifted' }),
  }),
)

export const muteChat = operation({
  at: 'PUT /channels/:channelId/members/:userId/chat-mute',
  summary: 'Keep a member from sending, editing and reacting',
  by: 'member',
  scope: 'moderation',
  access: { channel: true, right: 'mute_chat_member', exclusive: true },
  refusals: ofOthers,
  input: Type.Object({ ...ofMember, durationSec, reason }),
  output: ok(Mute),
})

export const unmuteChat = operation({
  at: 'DELETE /channels/:channelId/members/:userId/chat-mute',
  summary: 'Let a member write again',
  by: 'member',
  scope: 'moderation',
  access: { channel: true, right: 'mute_chat_member', exclusive: true },
  refusals: ofOthers,
  input: Type.Object({ ...ofMember, reason }),
  output: nothing,
})

export const muteVoice = operation({
  at: 'PUT /channels/:channelId/members/:userId/voice-mute',
  summary: 'Keep a member from talking; they stay in the room and are silent at once',
  by: 'member',
  scope: 'moderation',
  access: { channel: true, right: 'mute_voice_member', exclusive: true },
  refusals: ofOthers,
  input: Type.Object({ ...ofMember, durationSec, reason }),
  output: ok(Mute),
})

export const unmuteVoice = operation({
  at: 'DELETE /channels/:channelId/members/:userId/voice-mute',
  summary: 'Let a member talk again',
  by: 'member',
  scope: 'moderation',
  access: { channel: true, right: 'mute_voice_member', exclusive: true },
  refusals: ofOthers,
  input: Type.Object({ ...ofMember, reason }),
  output: nothing,
})

export const disconnectMember = operation({
  at: 'DELETE /channels/:channelId/members/:userId/voice',
  summary: 'Take a member out of their voice room',
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
  summary: 'Remove a member from the whole channel; they may come back by invitation only',
  by: 'member',
  scope: 'moderation',
  access: { channel: true, right: 'kick_member', exclusive: true },
  refusals: ofOthers,
  input: Type.Object({ ...ofMember, reason }),
  output: nothing,
})
