import { Type, type Static } from 'typebox'
import { Author, Avatar, AvatarVersion } from './accounts.ts'
import { ChannelId, UserId, VoiceRoomId } from './ids.ts'
import { LIMITS } from './limits.ts'
import { nothing, ok, operation } from './operation.ts'
import { Id, Integer, named, Nullable, Text, Timestamp } from './schema.ts'

const reason = Type.Optional(
  Text(0, LIMITS.reason, {
    description: 'For the audit log and for the member',
    examples: ['Advertising in every room'],
  }),
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

export type Ban = Static<typeof Ban>
export const Ban = named(
  'Ban',
  Type.Object({
    id: Id,
    person: Type.Object({ id: UserId, name: Type.String(), avatar: Avatar, avatarVersion: AvatarVersion }),
    reason: Nullable(Type.String()),
    bannedBy: Nullable({ ...Author, description: 'Null if the account no longer exists' }),
    bannedAt: Timestamp,
    bannedUntil: Nullable({ ...Timestamp, description: 'Null: until it is lifted' }),
  }),
)

export const banMember = operation({
  at: 'PUT /channels/:channelId/members/:userId/ban',
  summary: 'Remove a person from the channel and keep them out, also with an invitation',
  description:
    'The bots of applications that they own are removed as well, whatever their role, except those in `keepBots`.',
  by: 'person',
  access: { channel: true, right: 'kick_member', exclusive: true },
  input: Type.Object({
    ...ofMember,
    durationSec: Type.Optional(
      Integer(1, LIMITS.banSeconds, { description: 'How long, at most 366 days. Absent for no end' }),
    ),
    keepBots: Type.Optional(
      Type.Array(UserId, {
        maxItems: LIMITS.applicationsOwned,
        description: 'Bots of theirs that stay in the channel',
      }),
    ),
    reason,
  }),
  output: ok(Type.Object({ userId: UserId, bannedUntil: Ban.properties.bannedUntil })),
})

export const liftBan = operation({
  at: 'DELETE /channels/:channelId/bans/:userId',
  summary: 'Lift a ban',
  by: 'person',
  access: { channel: true, right: 'kick_member', exclusive: true },
  input: Type.Object({ channelId: ChannelId, userId: { ...UserId, description: 'The banned person' }, reason }),
  output: nothing,
})

export const listBans = operation({
  at: 'GET /channels/:channelId/bans',
  summary: 'List the bans of a channel, newest first',
  by: 'person',
  access: { channel: true, right: 'kick_member' },
  input: Type.Object({
    channelId: ChannelId,
    beforeId: Type.Optional({ ...Id, description: 'The last ban of the previous page' }),
    limit: Type.Optional(Integer(1, 100, { description: 'Default 50' })),
  }),
  output: ok(Type.Object({ bans: Type.Array(Ban), hasMore: Type.Boolean() })),
})
