import { Type, type Static } from 'typebox'
import { RoleTitle } from './channels.ts'
import { LIMITS } from './limits.ts'
import { ok, operation } from './operation.ts'
import { Count, Id, Integer, named, Nullable, Text } from './schema.ts'

export type Member = Static<typeof Member>
export const Member = named(
  'Member',
  Type.Object({
    id: Id,
    name: Type.String({ description: 'The general account name' }),
    channelNickname: Nullable(Type.String({ description: 'Clients show it when present, else `name`' })),
    online: Type.Boolean(),
    isBot: Type.Boolean({ description: 'An application on the same channel' }),
    avatar: Type.String({ description: 'A file name under `/media/avatars/`' }),
    avatarVersion: Type.Integer(),
    roles: Type.Array(RoleTitle, { description: 'All roles, highest first' }),
  }),
)

export const listMembers = operation({
  at: 'GET /channels/:channelId/members',
  summary: 'The members of a channel: all who are online and part of those offline',
  description:
    'The first page carries all online members and the first offline ones; a page with `afterId`, the id of the last offline member received, only further offline ones.',
  by: 'member',
  scope: 'channel:read',
  access: { channel: true },
  input: Type.Object({
    channelId: Id,
    limit: Type.Optional(Integer(1, 1000, { description: 'Offline members on the page; 100 unless told' })),
    afterId: Type.Optional(Id),
  }),
  output: ok(
    named(
      'MemberPage',
      Type.Object({
        members: Type.Array(Member),
        online: { ...Count, description: 'Members online now, bots among them' },
        total: { ...Count, description: 'All members, bots among them' },
        hasMore: Type.Boolean({ description: 'More offline members exist beyond the returned ones' }),
      }),
    ),
  ),
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
    nickname: Nullable(Text(LIMITS.nickname.min, LIMITS.nickname.max)),
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
  }),
  output: ok(Member),
})
