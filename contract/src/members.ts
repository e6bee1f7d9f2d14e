import { Type, type Static } from 'typebox'
import { Avatar, AvatarVersion } from './accounts.ts'
import { RoleTitle } from './channels.ts'
import { ChannelId, UserId } from './ids.ts'
import { LIMITS } from './limits.ts'
import { eventKind } from './event.ts'
import { Name } from './names.ts'
import { ok, operation, seen } from './operation.ts'
import { RIGHTS } from './rights.ts'
import { Speaker } from './room-message.ts'
import { Count, Id, Integer, named, Nullable, OneOf, Text, Timestamp } from './schema.ts'

export type Member = Static<typeof Member>
export const Member = named(
  'Member',
  Type.Object({
    id: UserId,
    name: Type.String({ description: 'The general account name', examples: ['Ada Novak'] }),
    channelNickname: Nullable(
      Type.String({ description: 'Clients show it when present, else `name`', examples: ['Ada'] }),
    ),
    online: Type.Boolean({ examples: [true] }),
    isBot: Type.Boolean({ description: 'An application on the same channel', examples: [false] }),
    avatar: Avatar,
    avatarVersion: AvatarVersion,
    roles: Type.Array(RoleTitle, { description: 'All roles, highest first' }),
  }),
)

const counts = {
  online: { ...Count, description: 'Members online now, bots among them', examples: [1] },
  total: { ...Count, description: 'All members, bots among them', examples: [128] },
  hasMore: Type.Boolean({ description: 'More offline members exist beyond the returned ones', examples: [true] }),
}

export const listMembers = operation({
  at: 'GET /channels/:channelId/members',
  summary: 'The members of a channel: all who are online and part of those offline',
  description:
    'The first page carries all online members and the first offline ones; a page with `afterId`, the id of the last offline member received, only further offline ones.',
  by: 'member',
  scope: 'channel:read',
  access: { channel: true },
  input: Type.Object({
    channelId: ChannelId,
    limit: Type.Optional(
      Integer(1, 1000, { description: 'Offline members on the page; 100 unless told', examples: [100] }),
    ),
    afterId: Type.Optional({ ...UserId, description: 'The last offline member of the page before' }),
  }),
  output: ok(named('MemberPage', Type.Object({ members: Type.Array(Member), ...counts }))),
})

export type ListedMember = Static<typeof ListedMember>
export const ListedMember = named(
  'ListedMember',
  Type.Object({
    ...Member.properties,
    sortName: Type.String({
      description:
        'What the list is in the order of, compared character by character: signs and digits before letters, Latin before Cyrillic, emoji last',
    }),
  }),
)

export const listMembersByName = operation({
  at: 'GET /channels/:channelId/members/by-name',
  summary: 'The members of a channel by the name they are shown under: all who are online and part of those offline',
  description: 'Pages are as those of `listMembers`. The order pays no regard to case and accents.',
  by: 'person',
  access: { channel: true },
  input: listMembers.input,
  output: ok(Type.Object({ members: Type.Array(ListedMember), ...counts })),
})

const MuteState = Nullable(
  Type.Object(
    { until: Nullable({ ...Timestamp, description: 'Null: until lifted' }) },
    { description: 'Null: not muted' },
  ),
)

export type MemberDetails = Static<typeof MemberDetails>
export const MemberDetails = named(
  'MemberDetails',
  Type.Object({
    ...Member.properties,
    roleIds: Type.Array(Id, { description: 'All roles, highest first' }),
    rank: Type.Integer({ description: 'Of the highest role' }),
    isOwner: Type.Boolean(),
    joinedAt: Timestamp,
    voiceRoomId: Nullable({ ...Id, description: 'The voice room they are in, if the asker sees it' }),
    chatMute: Type.Optional(MuteState),
    voiceMute: Type.Optional(MuteState),
  }),
)

export const findMembers = operation({
  at: 'GET /channels/:channelId/members/search',
  summary: 'Members of a channel by the name they are shown under, with all that is known of them there',
  description: 'Mutes are told to those who may mute: `chatMute` and `voiceMute` are absent for others.',
  by: 'person',
  access: { channel: true },
  input: Type.Object({
    channelId: Id,
    text: Type.Optional(Text(0, 64, { description: 'Part of the name or of the nickname; all members unless told' })),
    roleId: Type.Optional({ ...Id, description: 'Only members of this role' }),
    limit: Type.Optional(Integer(1, 100, { description: '50 unless told' })),
    afterId: Type.Optional({ ...Id, description: 'The last member of the page before' }),
  }),
  output: ok(
    Type.Object({
      members: Type.Array(MemberDetails),
      found: {
        ...Count,
        description: `How many there are on all pages; of those found by name or role, ${LIMITS.membersCounted + 1} means more than ${LIMITS.membersCounted}`,
      },
      hasMore: Type.Boolean(),
    }),
  ),
})

export type OwnPermissions = Static<typeof OwnPermissions>
export const OwnPermissions = named(
  'OwnPermissions',
  Type.Object({
    isOwner: Type.Boolean(),
    rank: Type.Integer({ description: 'Of one’s highest role' }),
    roleIds: Type.Array(Id, { description: 'All roles, highest first' }),
    rights: Type.Array(OneOf(RIGHTS), { description: 'What one may do on the channel as a whole' }),
  }),
)

export const getPermissions = operation({
  at: 'GET /channels/:channelId/standing',
  summary: 'One’s own roles and rights on a channel',
  by: 'person',
  access: { channel: true },
  input: Type.Object({ channelId: Id }),
  output: ok(OwnPermissions),
})

export type MemberCard = Static<typeof MemberCard>
export const MemberCard = named(
  'MemberCard',
  Type.Object({
    ...MemberDetails.properties,
    may: Type.Object(
      {
        setNickname: Type.Boolean(),
        setRoles: Type.Boolean(),
        muteChat: Type.Boolean(),
        muteVoice: Type.Boolean(),
        move: Type.Boolean(),
        kick: Type.Boolean(),
      },
      { description: 'What the asker may do to them' },
    ),
  }),
)

export const getMember = operation({
  at: 'GET /channels/:channelId/members/:userId',
  summary: 'A member, as their profile card shows them',
  by: 'person',
  access: { channel: true },
  input: Type.Object({ channelId: Id, userId: Id }),
  output: ok(MemberCard),
})

export const setNickname = operation({
  at: 'PUT /channels/:channelId/members/:userId/nickname',
  summary: 'Change one’s own nickname on a channel, or that of a member ranking below',
  description: 'For others, the right `manage_roles` is needed.',
  by: 'person',
  access: { channel: true, exclusive: true },
  input: Type.Object({
    channelId: Id,
    userId: Id,
    nickname: Nullable(Name(LIMITS.nickname.min, LIMITS.nickname.max)),
  }),
  output: ok(Member),
})

export const setMemberRoles = operation({
  at: 'PUT /channels/:channelId/members/:userId/roles',
  summary: 'Give a member roles: the whole list anew, of roles ranking below one’s own',
  by: 'person',
  access: { channel: true, right: 'manage_roles', exclusive: true },
  input: Type.Object({
    channelId: Id,
    userId: Id,
    roleIds: Type.Array(Id, {
      minItems: 1,
      maxItems: LIMITS.rolesOfChannel,
      description: 'Exactly one system role and any number of the channel’s own',
    }),
    seen: seen({ roleIds: Type.Array(Id) }),
  }),
  output: ok(Member),
})

const Membership = Type.Object({ userId: Id, isBot: Type.Boolean() })

export const memberJoined = eventKind({
  event: 'member.joined',
  summary: 'Someone became a member of the channel',
  audience: 'portal',
  data: Membership,
})

export const memberChanged = eventKind({
  event: 'member.changed',
  summary: 'A member of the channel is called or looks different: a new name, nickname or picture',
  audience: 'portal',
  data: Type.Object({ member: Speaker }),
})

export const memberLeft = eventKind({
  event: 'member.left',
  summary: 'Someone is no longer a member of the channel',
  audience: 'portal',
  data: Membership,
})
