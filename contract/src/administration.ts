import { Type, type Static } from 'typebox'
import { Author, Avatar, AvatarVersion, Password } from './accounts.ts'
import { LIMITS } from './limits.ts'
import { noInput, nothing, ok, operation } from './operation.ts'
import { Count, Id, Integer, named, Nullable, OneOf, Text, Timestamp } from './schema.ts'

const page = {
  search: Type.Optional(Text(1, 64, { description: 'A part of the name, without regard to case' })),
  beforeId: Type.Optional({ ...Id, description: 'The last one of the page before' }),
  limit: Type.Optional(Integer(1, 100, { description: '50 unless told' })),
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
    disabledAt: Nullable({ ...Timestamp, description: 'Kept out since then; null: may sign in' }),
    createdAt: Timestamp,
    lastSeenAt: Nullable({ ...Timestamp, description: 'By the sessions that there still are' }),
    channels: Count,
    applications: Count,
  }),
)

export const listPeople = operation({
  at: 'GET /administration/people',
  summary: 'Everybody with an account, the newest first',
  by: 'administrator',
  input: Type.Object(page),
  output: ok(Type.Object({ people: Type.Array(ManagedPerson), hasMore: Type.Boolean() })),
})

const ofPerson = { personId: Id }

export const updatePerson = operation({
  at: 'PATCH /administration/people/:personId',
  summary: 'Make somebody an administrator, or keep them out',
  description: 'Whoever is kept out loses all sessions and all access of websites at once; nothing else is taken away.',
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
  summary: 'Sign somebody out on all devices',
  by: 'administrator',
  input: Type.Object(ofPerson),
  output: nothing,
})

export const setPasswordOfPerson = operation({
  at: 'PUT /administration/people/:personId/password',
  summary: 'Give somebody a new password; signs them out everywhere',
  by: 'administrator',
  input: Type.Object({ ...ofPerson, newPassword: Password }),
  output: nothing,
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
  summary: 'Every channel, the newest first; not what is said in it',
  by: 'administrator',
  input: Type.Object(page),
  output: ok(Type.Object({ channels: Type.Array(ManagedChannel), hasMore: Type.Boolean() })),
})

const ofChannel = { channelId: Id }

export const deleteAnyChannel = operation({
  at: 'DELETE /administration/channels/:channelId',
  summary: 'Delete somebody’s channel with everything in it',
  by: 'administrator',
  input: Type.Object({
    ...ofChannel,
    name: Text(1, 256, { description: "The channel's name once more, as a safeguard" }),
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
  summary: 'Members to whom a channel can be handed over, by name: people, without the owner',
  by: 'administrator',
  input: Type.Object({
    ...ofChannel,
    search: Type.Optional(Text(1, 64, { description: 'A part of the name or nickname, without regard to case' })),
    limit: Type.Optional(Integer(1, 100, { description: '20 unless told' })),
  }),
  output: ok(Type.Object({ members: Type.Array(OwnerCandidate) })),
})

export const transferAnyChannel = operation({
  at: 'PUT /administration/channels/:channelId/owner',
  summary: 'Hand somebody’s channel over to another of its members',
  by: 'administrator',
  input: Type.Object({ ...ofChannel, userId: Id }),
  output: ok(ManagedChannel),
})

export type ManagedApplication = Static<typeof ManagedApplication>
export const ManagedApplication = named(
  'ManagedApplication',
  Type.Object({
    id: Id,
    botId: { ...Id, description: 'The bot, whose picture it has' },
    name: Type.String(),
    avatar: Avatar,
    avatarVersion: AvatarVersion,
    owner: Author,
    installations: Count,
    keyLastUsedAt: Nullable(Timestamp),
    limits: Type.Object({ requests: Type.Integer(), writes: Type.Integer() }, { description: 'Per 60 seconds' }),
    limitsSet: Type.Boolean({ description: 'An administrator has set other quotas than the usual ones' }),
    createdAt: Timestamp,
  }),
)

export const listAllApplications = operation({
  at: 'GET /administration/applications',
  summary: 'Every application, the newest first',
  by: 'administrator',
  input: Type.Object(page),
  output: ok(Type.Object({ applications: Type.Array(ManagedApplication), hasMore: Type.Boolean() })),
})

export type Health = Static<typeof Health>
export const Health = named(
  'Health',
  Type.Object({
    version: Type.String(),
    databaseBytes: Count,
    people: Count,
    channels: Count,
    applications: Count,
    messages: { ...Count, description: `Beyond ${LIMITS.countedExactly}, as the database estimates them` },
    sessions: Count,
    events: { ...Count, description: `In the log; beyond ${LIMITS.countedExactly}, as the database estimates them` },
    eventLag: { ...Count, description: 'Events that were written and not yet handed on by the process that answers' },
    webhooks: Type.Object({
      active: Count,
      off: Count,
      pending: { ...Count, description: 'Deliveries under way or waiting for their next attempt' },
      overdueSeconds: { ...Count, description: 'How long the oldest due delivery has been waiting' },
    }),
    media: OneOf(['off', 'ready', 'refused', 'unreachable'], {
      description:
        'The media server for voice: none is set up, it answers, it does not take the key, or it does not answer in time',
    }),
  }),
)

export const getHealth = operation({
  at: 'GET /administration/health',
  summary: 'Sizes and health of the portal',
  by: 'administrator',
  input: noInput,
  output: ok(Health),
})
