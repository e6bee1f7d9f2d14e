import { Type, type Static } from 'typebox'
import { Author, Avatar, AvatarVersion } from './accounts.ts'
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
    name: Type.String({ description: 'The account name', examples: ['Ada Novak'] }),
    channelNickname: Nullable(Type.String({ description: 'Shown instead of `name` if present', examples: ['Ada'] })),
    online: Type.Boolean({ examples: [true] }),
    isBot: Type.Boolean({ description: 'True for the bot of an application', examples: [false] }),
    avatar: Avatar,
    avatarVersion: AvatarVersion,
    roles: Type.Array(RoleTitle, { description: 'All roles, highest first' }),
  }),
)

const counts = {
  online: { ...Count, description: 'Members online now, including bots', examples: [1] },
  total: { ...Count, description: 'All members, including bots', examples: [128] },
  hasMore: Type.Boolean({ description: 'More offline members exist beyond the returned ones', examples: [true] }),
}

export const listMembers = operation({
  at: 'GET /channels/:channelId/members',
  summary: 'List the members of a channel: everyone online and a page of those offline',
  description:
    'The first page contains all online members and the first offline ones. A page with `afterId`, the id of the last offline member received, contains only further offline ones.',
  by: 'member',
  scope: 'channel:read',
  access: { channel: true },
  input: Type.Object({
    channelId: ChannelId,
    limit: Type.Optional(Integer(1, 1000, { description: 'Offline members per page; default 100', examples: [100] })),
    afterId: Type.Optional({ ...UserId, description: 'The last offline member of the previous page' }),
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
        'The sort key of the list, compared character by character: symbols and digits before letters, Latin before Cyrillic, emoji last',
    }),
  }),
)

export const listMembersByName = operation({
  at: 'GET /channels/:channelId/members/by-name',
  summary: 'List the members of a channel by displayed name: everyone online and a page of those offline',
  description: 'Pages work as in `listMembers`. The order ignores case and accents.',
  by: 'person',
  access: { channel: true },
  input: listMembers.input,
  output: ok(
    Type.Object({
      members: Type.Array(ListedMember),
      ...counts,
      roles: Type.Array(RoleTitle, { description: 'The roles of the channel, highest first' }),
    }),
  ),
})

const MuteState = Nullable(
  Type.Object(
    { until: Nullable({ ...Timestamp, description: 'Null if it has no end' }) },
    { description: 'Null if not muted' },
  ),
)

export type MemberDetails = Static<typeof MemberDetails>
export const MemberDetails = named(
  'MemberDetails',
  Type.Object({
    ...Member.properties,
    roleIds: Type.Array(Id, { description: 'All roles, highest first' }),
    rank: Type.Integer({ description: 'Rank of the highest role' }),
    isOwner: Type.Boolean(),
    joinedAt: Timestamp,
    voiceRoomId: Nullable({ ...Id, description: 'The voice room they are in, if the caller can see it' }),
    chatMute: Type.Optional(MuteState),
    voiceMute: Type.Optional(MuteState),
  }),
)

export const findMembers = operation({
  at: 'GET /channels/:channelId/members/search',
  summary: 'Search the members of a channel by displayed name, with their details',
  description: '`chatMute` and `voiceMute` are present only for callers who can mute.',
  by: 'person',
  access: { channel: true },
  input: Type.Object({
    channelId: ChannelId,
    text: Type.Optional(Text(0, 64, { description: 'Part of the name or the nickname; default: all members' })),
    roleId: Type.Optional({ ...Id, description: 'Only members of this role' }),
    limit: Type.Optional(Integer(1, 100, { description: 'Default 50' })),
    afterId: Type.Optional({ ...Id, description: 'The last member of the previous page' }),
  }),
  output: ok(
    Type.Object({
      members: Type.Array(MemberDetails),
      found: {
        ...Count,
        description: `Total on all pages; when filtered by name or role, ${LIMITS.membersCounted + 1} means more than ${LIMITS.membersCounted}`,
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
    rank: Type.Integer({ description: 'Rank of your highest role' }),
    roleIds: Type.Array(Id, { description: 'All roles, highest first' }),
    rights: Type.Array(OneOf(RIGHTS), { description: 'Your rights in the channel, without room overrides' }),
  }),
)

export const getPermissions = operation({
  at: 'GET /channels/:channelId/permissions',
  summary: 'Get your roles and rights in a channel',
  by: 'person',
  access: { channel: true },
  input: Type.Object({ channelId: ChannelId }),
  output: ok(OwnPermissions),
})

export type MemberCard = Static<typeof MemberCard>
export const MemberCard = named(
  'MemberCard',
  Type.Object({
    ...MemberDetails.properties,
    bots: Type.Array(Type.Object({ id: UserId, name: Type.String() }), {
      description: 'The bots in this channel whose applications they own',
    }),
    may: Type.Object(
      {
        setNickname: Type.Boolean(),
        setRoles: Type.Boolean(),
        muteChat: Type.Boolean(),
        muteVoice: Type.Boolean(),
        move: Type.Boolean(),
        kick: Type.Boolean(),
      },
      { description: 'What the caller can do to them' },
    ),
  }),
)

export const getMember = operation({
  at: 'GET /channels/:channelId/members/:userId',
  summary: 'Get a member’s profile',
  by: 'person',
  access: { channel: true },
  input: Type.Object({ channelId: ChannelId, userId: UserId }),
  output: ok(MemberCard),
})

export const setNickname = operation({
  at: 'PUT /channels/:channelId/members/:userId/nickname',
  summary: 'Change your nickname in a channel, or that of a member who ranks below you',
  description: 'For others, the right `manage_roles` is required.',
  by: 'person',
  access: { channel: true, exclusive: true },
  input: Type.Object({
    channelId: ChannelId,
    userId: UserId,
    nickname: Nullable(Name(LIMITS.nickname.min, LIMITS.nickname.max)),
  }),
  output: ok(Member),
})

export const setMemberRoles = operation({
  at: 'PUT /channels/:channelId/members/:userId/roles',
  summary: 'Replace a member’s roles (roles that rank below your own)',
  by: 'person',
  access: { channel: true, right: 'manage_roles', exclusive: true },
  input: Type.Object({
    channelId: ChannelId,
    userId: UserId,
    roleIds: Type.Array(Id, {
      minItems: 1,
      maxItems: LIMITS.rolesOfChannel,
      description: 'Exactly one system role and any number of custom roles',
    }),
    seen: seen({ roleIds: Type.Array(Id) }),
  }),
  output: ok(Member),
})

export type Removal = Static<typeof Removal>
export const Removal = named(
  'Removal',
  Type.Object({
    channelName: Type.String({ description: 'The channel’s name at that time' }),
    banned: Type.Boolean({ description: 'An invitation doesn’t help until the ban ends' }),
    at: Timestamp,
    until: Nullable({ ...Timestamp, description: 'When the ban ends. Null if it has no end, or without a ban' }),
    reason: Nullable(Type.String()),
    by: Nullable({ ...Author, description: 'Null if the channel doesn’t show it' }),
  }),
)

export const getRemoval = operation({
  at: 'GET /channels/:channelId/removal',
  summary: 'Get when and why you were removed or banned from a channel',
  by: 'person',
  input: Type.Object({ channelId: ChannelId }),
  output: ok(Type.Object({ removal: Nullable({ ...Removal, description: 'Null if you weren’t, or came back' }) })),
})

const ofMember = {
  user: { ...Author, description: 'With the channel nickname as `name`, if there is one' },
  isBot: Type.Boolean({ description: 'True for the bot of an application', examples: [false] }),
}

export const memberJoinedChannel = eventKind({
  event: 'member.joined',
  summary: 'Someone became a member of the channel',
  audience: 'bots',
  optIn: true,
  data: Type.Object(ofMember),
})

export const memberLeftChannel = eventKind({
  event: 'member.left',
  summary: 'Someone is no longer a member of the channel: they left, were removed or banned, or deleted their account',
  audience: 'bots',
  optIn: true,
  data: Type.Object(ofMember),
})

const membership = { userId: Id, isBot: Type.Boolean() }

export const memberJoined = eventKind({
  event: 'member.joined',
  summary: 'Someone became a member of the channel',
  audience: 'portal',
  data: Type.Object({
    ...membership,
    roleIds: Type.Optional(Type.Array(Id, { description: 'Their roles in the channel' })),
  }),
})

export const memberChanged = eventKind({
  event: 'member.changed',
  summary: 'A member’s name, nickname, picture or roles changed',
  audience: 'portal',
  data: Type.Object({ member: Speaker }),
})

export const memberLeft = eventKind({
  event: 'member.left',
  summary: 'Someone is no longer a member of the channel',
  audience: 'portal',
  data: Type.Object(membership),
})
