import { Type, type Static } from 'typebox'
import { Author, Avatar, AvatarVersion, Password } from './accounts.ts'
import { LIMITS } from './limits.ts'
import { created, noInput, nothing, ok, operation } from './operation.ts'
import { ChannelId, UserId } from './ids.ts'
import { Count, Id, Integer, named, Nullable, OneOf, Text, Timestamp } from './schema.ts'

const page = {
  search: Type.Optional(Text(1, 64, { description: 'Part of the name, case-insensitive' })),
  beforeId: Type.Optional({ ...Id, description: 'The last item of the previous page' }),
  limit: Type.Optional(Integer(1, 100, { description: 'Default 50' })),
}

export type ManagedPerson = Static<typeof ManagedPerson>
export const ManagedPerson = named(
  'ManagedPerson',
  Type.Object({
    id: Id,
    name: Type.String(),
    avatar: Avatar,
    avatarVersion: AvatarVersion,
    isAdministrator: Type.Boolean(),
    disabledAt: Nullable({ ...Timestamp, description: 'When the account was disabled; null if it is enabled' }),
    createdAt: Timestamp,
    lastSeenAt: Nullable({ ...Timestamp, description: 'According to the existing sessions' }),
    channels: Count,
    applications: Count,
  }),
)

export const listPeople = operation({
  at: 'GET /administration/people',
  summary: 'List all accounts, newest first',
  by: 'administrator',
  input: Type.Object(page),
  output: ok(Type.Object({ people: Type.Array(ManagedPerson), hasMore: Type.Boolean() })),
})

const ofPerson = { personId: { ...UserId, description: 'The person' } }

export const updatePerson = operation({
  at: 'PATCH /administration/people/:personId',
  summary: 'Make someone an administrator, or disable or enable their account',
  description:
    'A disabled person loses all sessions and all access given to websites immediately, and keeps everything else.',
  by: 'administrator',
  input: Type.Object({
    ...ofPerson,
    isAdministrator: Type.Optional(Type.Boolean({ rule: 'must be true or false' })),
    disabled: Type.Optional(Type.Boolean({ rule: 'must be true or false' })),
  }),
  output: ok(ManagedPerson),
})

export const endSessionsOfPerson = operation({
  at: 'DELETE /administration/people/:personId/sessions',
  summary: 'End all sessions of a person',
  by: 'administrator',
  input: Type.Object(ofPerson),
  output: nothing,
})

export const setPasswordOfPerson = operation({
  at: 'PUT /administration/people/:personId/password',
  summary: 'Set a person’s password; ends all their sessions',
  by: 'administrator',
  input: Type.Object({ ...ofPerson, newPassword: Password }),
  output: nothing,
})

export const createResetLink = operation({
  at: 'POST /administration/people/:personId/reset-link',
  summary: 'Create a one-time link with which a person chooses a new password',
  description:
    'It works for 24 hours and is shown only once. A new link replaces the previous one, and a new password ends it.',
  by: 'administrator',
  input: Type.Object(ofPerson),
  output: created(Type.Object({ url: Type.String({ description: 'The link to pass on' }), expiresAt: Timestamp })),
})

export type ManagedChannel = Static<typeof ManagedChannel>
export const ManagedChannel = named(
  'ManagedChannel',
  Type.Object({
    id: Id,
    name: Type.String(),
    image: Type.String(),
    avatarVersion: AvatarVersion,
    open: Type.Boolean(),
    owner: Author,
    memberCount: Count,
    rooms: Count,
    createdAt: Timestamp,
  }),
)

export const listAllChannels = operation({
  at: 'GET /administration/channels',
  summary: 'List all channels, newest first, without their content',
  by: 'administrator',
  input: Type.Object(page),
  output: ok(Type.Object({ channels: Type.Array(ManagedChannel), hasMore: Type.Boolean() })),
})

const ofChannel = { channelId: ChannelId }

export const deleteAnyChannel = operation({
  at: 'DELETE /administration/channels/:channelId',
  summary: 'Delete any channel with everything in it',
  by: 'administrator',
  input: Type.Object({
    ...ofChannel,
    name: Text(1, 256, { description: "The channel's name, as confirmation" }),
  }),
  output: nothing,
})

export type OwnerCandidate = Static<typeof OwnerCandidate>
export const OwnerCandidate = named(
  'OwnerCandidate',
  Type.Object({
    id: Id,
    name: Type.String(),
    channelNickname: Nullable(Type.String()),
    avatar: Avatar,
    avatarVersion: AvatarVersion,
  }),
)

export const listOwnerCandidates = operation({
  at: 'GET /administration/channels/:channelId/heirs',
  summary: 'List members a channel can be transferred to, by name: people other than the owner',
  by: 'administrator',
  input: Type.Object({
    ...ofChannel,
    search: Type.Optional(Text(1, 64, { description: 'Part of the name or nickname, case-insensitive' })),
    limit: Type.Optional(Integer(1, 100, { description: 'Default 20' })),
  }),
  output: ok(Type.Object({ members: Type.Array(OwnerCandidate) })),
})

export const transferAnyChannel = operation({
  at: 'PUT /administration/channels/:channelId/owner',
  summary: 'Transfer any channel to another of its members',
  by: 'administrator',
  input: Type.Object({ ...ofChannel, userId: UserId }),
  output: ok(ManagedChannel),
})

export type ManagedApplication = Static<typeof ManagedApplication>
export const ManagedApplication = named(
  'ManagedApplication',
  Type.Object({
    id: Id,
    botId: { ...Id, description: 'The bot, whose picture is shown for the application' },
    name: Type.String(),
    avatar: Avatar,
    avatarVersion: AvatarVersion,
    owner: Author,
    installations: Count,
    keyLastUsedAt: Nullable(Timestamp),
    limits: Type.Object({ requests: Type.Integer(), writes: Type.Integer() }, { description: 'Per 60 seconds' }),
    limitsSet: Type.Boolean({ description: 'An administrator has set other quotas than the defaults' }),
    createdAt: Timestamp,
  }),
)

export const listAllApplications = operation({
  at: 'GET /administration/applications',
  summary: 'List all applications, newest first',
  by: 'administrator',
  input: Type.Object(page),
  output: ok(Type.Object({ applications: Type.Array(ManagedApplication), hasMore: Type.Boolean() })),
})

export type Health = Static<typeof Health>
export const Health = named(
  'Health',
  Type.Object({
    version: Type.String(),
    uptimeSeconds: { ...Count, description: 'How long this process has been running' },
    address: Type.String({ description: 'The base of links that people pass on, such as invitations' }),
    databaseBytes: Count,
    disk: Type.Object(
      { bytes: Count, freeBytes: Count },
      { description: 'The disk of the data folder, with the embedded database and files that are not in a bucket' },
    ),
    walBytes: Nullable({
      ...Count,
      description: 'What PostgreSQL keeps of its write-ahead log; null if its user may not know',
    }),
    lastBackupAt: Nullable({ ...Timestamp, description: 'When `portico backup` was last completed; null if never' }),
    people: Count,
    channels: Count,
    applications: Count,
    messages: { ...Count, description: `An estimate above ${LIMITS.countedExactly}` },
    sessions: Count,
    events: { ...Count, description: `Events in the log; an estimate above ${LIMITS.countedExactly}` },
    eventLag: {
      ...Count,
      description: 'Events that are committed and not yet delivered to connections by this process',
    },
    webhooks: Type.Object({
      active: Count,
      off: Count,
      pending: { ...Count, description: 'Deliveries in progress or waiting for their next attempt' },
      overdueSeconds: { ...Count, description: 'How long the oldest overdue delivery has been waiting' },
    }),
    media: OneOf(['off', 'ready', 'refused', 'unreachable'], {
      description: 'The media server for voice: turned off, available, rejects the key, or doesn’t answer in time',
    }),
    mediaAddresses: Type.Optional(
      Type.Array(Type.String(), {
        description: 'The addresses that the embedded media server announces to clients, the most likely first',
      }),
    ),
    files: Type.Object({
      kind: OneOf(['folder', 'bucket']),
      reachable: {
        ...Type.Boolean(),
        description: 'False: files can’t be fetched or uploaded, and the portal continues without',
      },
    }),
    cluster: Type.Optional(
      Type.Object(
        {
          nodes: Count,
          redisMilliseconds: Type.Union([Type.Number({ minimum: 0 }), Type.Null()], {
            description:
              'How long Redis takes to answer this node; null: it can’t be reached, and the portal continues without',
          }),
        },
        { description: 'Absent for a single process' },
      ),
    ),
  }),
)

export const getHealth = operation({
  at: 'GET /administration/health',
  summary: 'Get sizes and health of the portal',
  by: 'administrator',
  input: noInput,
  output: ok(Health),
})
