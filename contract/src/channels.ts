import { Type, type Static } from 'typebox'
import { auditPage, AuditPage, LOCALES, PICTURE_TEXT } from './accounts.ts'
import { ChannelId, UserId } from './ids.ts'
import { eventKind } from './event.ts'
import { LIMITS } from './limits.ts'
import { Name } from './names.ts'
import { created, nothing, ok, operation, seen } from './operation.ts'
import { ROLE_NAMES } from './rights.ts'
import { ROLE_COLORS } from './role-colors.ts'
import { Count, Id, Integer, named, Nullable, OneOf, Text } from './schema.ts'

const ChannelName = Name(LIMITS.channelName.min, LIMITS.channelName.max, { examples: ['Ateliers'] })
const Description = Nullable(Text(0, LIMITS.channelDescription))
const Open = Type.Boolean({
  description: 'Anyone with an account can find the channel and join it without an invitation',
  rule: 'must be true or false',
})

const ShowModerators = Type.Boolean({
  description: 'People who are muted, removed or banned see by whom',
  rule: 'must be true or false',
})

export const NamedColor = OneOf(ROLE_COLORS, {
  description: 'The name of a color; clients choose a shade that is readable on their background',
  examples: ['teal'],
})

export const OptionalColor = Type.Optional({
  ...NamedColor,
  description: 'A name; clients choose a shade that is readable on their background. Absent if none',
})

export type RoleTitle = Static<typeof RoleTitle>
export const RoleTitle = named(
  'RoleTitle',
  Type.Object(
    {
      systemName: OneOf(ROLE_NAMES, {
        description: '`CUSTOM` for roles that the channel created',
        examples: ['CHANNEL_MEMBER'],
      }),
      name: Type.String({ description: 'Its name in the channel', examples: ['Member'] }),
      color: OptionalColor,
    },
    { description: 'A role with its displayed name' },
  ),
)

export type Channel = Static<typeof Channel>
export const Channel = named(
  'Channel',
  Type.Object({
    id: ChannelId,
    name: Type.String({ examples: ['Ateliers'] }),
    description: Nullable(Type.String({ examples: ['A workshop for people who build things'] })),
  }),
)

export type OwnChannel = Static<typeof OwnChannel>
export const OwnChannel = named(
  'OwnChannel',
  Type.Object({
    id: Id,
    name: Type.String(),
    description: Nullable(Type.String()),
    image: Type.String(),
    avatarVersion: Type.Integer(),
    open: Type.Boolean(),
    showModerators: Type.Boolean(),
    memberCount: Count,
    role: RoleTitle,
  }),
)

export const createChannel = operation({
  at: 'POST /channels',
  summary: 'Create a channel that you own',
  by: 'person',
  input: Type.Object({
    name: ChannelName,
    description: Type.Optional(Description),
    open: Type.Optional(Open),
    locale: Type.Optional(
      OneOf(LOCALES, { description: 'The language in which its first rooms are named; default en' }),
    ),
  }),
  output: created(OwnChannel),
})

/** A page of the caller's channels. */
export const ownChannelsPage = {
  limit: Type.Optional(Integer(1, LIMITS.channelsPage, { description: `Default ${LIMITS.channelsPage}` })),
  afterId: Type.Optional({ ...Id, description: 'The last channel of the previous page' }),
}

export const listChannels = operation({
  at: 'GET /channels',
  summary: 'List the channels you are a member of, in your own order',
  description: 'As `sortChannels` has left them; the others come last, in the order of joining.',
  by: 'person',
  input: Type.Object(ownChannelsPage),
  output: ok(Type.Object({ channels: Type.Array(OwnChannel), hasMore: Type.Boolean() })),
})

export const sortChannels = operation({
  at: 'PUT /account/channel-order',
  summary: 'Reorder your channels, for yourself, on all your devices',
  description:
    'Lists some or all of them in the new order; the others come last, in the order of joining. Channels that you aren’t a member of are ignored: you may have left one on another device.',
  by: 'person',
  input: Type.Object({ channelIds: Type.Array(Id, { maxItems: LIMITS.channelsSorted }) }),
  output: nothing,
})

export const listOpenChannels = operation({
  at: 'GET /open-channels',
  summary: 'List the channels that anyone can join, by name',
  by: 'person',
  input: Type.Object({
    limit: Type.Optional(Integer(1, 100, { description: 'Default 50' })),
    afterId: Type.Optional({ ...Id, description: 'The last channel of the previous page' }),
  }),
  output: ok(
    Type.Object({
      channels: Type.Array(
        Type.Object({ id: Id, name: Type.String(), description: Nullable(Type.String()), memberCount: Count }),
      ),
      hasMore: Type.Boolean(),
    }),
  ),
})

export const getChannel = operation({
  at: 'GET /channels/:channelId',
  summary: 'Get the name and description of a channel',
  by: 'member',
  scope: 'channel:read',
  access: { channel: true },
  input: Type.Object({ channelId: ChannelId }),
  output: ok(Channel),
})

export const updateChannel = operation({
  at: 'PATCH /channels/:channelId',
  summary: "Change a channel's name, description, whether it is open, or whether it shows moderators",
  by: 'person',
  access: { channel: true, right: 'manage_channel', exclusive: true },
  input: Type.Object({
    channelId: ChannelId,
    name: Type.Optional(ChannelName),
    description: Type.Optional(Description),
    open: Type.Optional(Open),
    showModerators: Type.Optional(ShowModerators),
    seen: seen({
      name: Type.Optional(Type.String()),
      description: Type.Optional(Nullable(Type.String())),
      open: Type.Optional(Open),
      showModerators: Type.Optional(ShowModerators),
    }),
  }),
  output: ok(OwnChannel),
})

export const setChannelPicture = operation({
  at: 'PUT /channels/:channelId/picture',
  summary: 'Set a channel’s picture',
  description: PICTURE_TEXT,
  by: 'person',
  takes: 'picture',
  access: { channel: true, right: 'manage_channel', exclusive: true },
  input: Type.Object({ channelId: ChannelId }),
  output: ok(OwnChannel),
})

export const removeChannelPicture = operation({
  at: 'DELETE /channels/:channelId/picture',
  summary: 'Remove a channel’s picture',
  by: 'person',
  access: { channel: true, right: 'manage_channel', exclusive: true },
  input: Type.Object({ channelId: ChannelId }),
  output: ok(OwnChannel),
})

export const deleteChannel = operation({
  at: 'DELETE /channels/:channelId',
  summary: 'Delete a channel with everything in it (owner only)',
  by: 'person',
  access: { channel: true, exclusive: true },
  input: Type.Object({
    channelId: ChannelId,
    name: Text(1, 256, { description: "The channel's name, as confirmation" }),
  }),
  output: nothing,
})

export const joinChannel = operation({
  at: 'POST /channels/:channelId/join',
  summary: 'Join an open channel',
  by: 'person',
  input: Type.Object({ channelId: ChannelId }),
  output: ok(OwnChannel),
})

export const leaveChannel = operation({
  at: 'DELETE /channels/:channelId/membership',
  summary: 'Leave a channel (the owner must transfer it first)',
  by: 'person',
  access: { channel: true, exclusive: true },
  input: Type.Object({ channelId: ChannelId }),
  output: nothing,
})

export const transferChannel = operation({
  at: 'PUT /channels/:channelId/owner',
  summary: 'Transfer a channel to another member (owner only)',
  by: 'person',
  access: { channel: true, exclusive: true },
  input: Type.Object({ channelId: ChannelId, userId: UserId }),
  output: ok(OwnChannel),
})

/** What the entries of a channel's audit log are about: the first word of their action. */
export const AUDIT_SUBJECTS = [
  'channel',
  'room',
  'category',
  'role',
  'member',
  'application',
  'invitation',
  'message',
] as const

export const listChannelAudit = operation({
  at: 'GET /channels/:channelId/audit-log',
  summary: 'Get the audit log of a channel, newest first',
  by: 'person',
  access: { channel: true, right: 'view_audit_log' },
  input: Type.Object({
    channelId: ChannelId,
    ...auditPage,
    subject: Type.Optional(OneOf(AUDIT_SUBJECTS, { description: 'Only entries about this' })),
    actorId: Type.Optional({ ...Id, description: 'Only what this person or bot did' }),
    targetId: Type.Optional({ ...Id, description: 'Only what was done to this member, room, role …' }),
  }),
  output: ok(AuditPage),
})

export const channelChanged = eventKind({
  event: 'channel.changed',
  summary: 'Something about the channel changed: reload it if you show it',
  audience: 'portal',
  data: Type.Object({ subject: Type.String({ examples: ['room', 'role', 'member', 'application', 'command'] }) }),
})

export const channelsSorted = eventKind({
  event: 'channels.sorted',
  summary: 'You reordered your channels, on this or another device',
  audience: 'portal',
  ephemeral: true,
  placeless: true,
  data: Type.Object({ channelIds: Type.Array(Id, { description: 'Channels that aren’t listed come last' }) }),
})
