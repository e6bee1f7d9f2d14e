import { Type, type Static } from 'typebox'
import { Author, Avatar, AvatarVersion, PICTURE_TEXT } from './accounts.ts'
import { RoleTitle } from './channels.ts'
import { Command } from './commands.ts'
import { eventKind } from './event.ts'
import { ApplicationId, BotId, ChannelId } from './ids.ts'
import { LIMITS } from './limits.ts'
import { Name } from './names.ts'
import { created, noInput, nothing, ok, operation } from './operation.ts'
import { Count, Id, Integer, named, Nullable, OneOf, Text, Timestamp } from './schema.ts'
import { SCOPES, type Scope } from './scopes.ts'
import { DELIVERY_ERRORS } from './webhooks.ts'

const ApplicationName = Name(LIMITS.applicationName.min, LIMITS.applicationName.max, { examples: ['Shipyard'] })

export const Scopes = Type.Array(OneOf(Object.keys(SCOPES) as Scope[]), {
  uniqueItems: true,
  rule: 'must be a list of scopes without duplicates',
})

export type Profile = Static<typeof Profile>
export const Profile = named(
  'Profile',
  Type.Object({
    application: Type.Object({ id: ApplicationId, name: Type.String({ examples: ['Shipyard'] }), owner: Author }),
    bot: Type.Object({
      id: BotId,
      name: Type.String({ examples: ['Shipyard'] }),
      avatar: { ...Avatar, examples: ['01a05bfb-7a51-7cc6-94e0-2f8b6d3a7c19.svg'] },
      avatarVersion: AvatarVersion,
    }),
    channels: Type.Array(
      Type.Object({
        id: ChannelId,
        name: Type.String({ examples: ['Ateliers'] }),
        role: { ...RoleTitle, examples: [{ systemName: 'CHANNEL_BOT', name: 'Bot' }] },
      }),
      { description: 'Where the application is installed' },
    ),
  }),
)

export const getProfile = operation({
  at: 'GET /me',
  summary: 'Get the application’s profile and installations',
  description: 'Works with any key, whatever its scopes: a good first request.',
  by: 'bot',
  input: noInput,
  output: ok(Profile),
})

export const getScopes = operation({
  at: 'GET /me/scopes',
  summary: 'Get the scopes of the key',
  description: 'Works with any key: so a program can name all the scopes that it lacks when it starts.',
  by: 'bot',
  input: noInput,
  output: ok(Type.Object({ scopes: { ...Scopes, examples: [['messages:write', 'events', 'commands']] } })),
})

export const revokeKey = operation({
  at: 'DELETE /key',
  summary: 'Revoke the key used for this request',
  description:
    'Use it for a leaked key: it needs nothing but the key itself. The owner issues a new one in the portal.',
  by: 'bot',
  input: noInput,
  output: nothing,
})

export type Application = Static<typeof Application>
export const Application = named(
  'Application',
  Type.Object({
    id: Id,
    name: Type.String(),
    owner: Author,
    bot: Type.Object({ id: Id, name: Type.String(), avatar: Type.String(), avatarVersion: Type.Integer() }),
    createdAt: Timestamp,
    key: Nullable(
      Type.Object({
        scopes: Scopes,
        hint: Type.String({ description: 'The first characters of the key, to recognize it' }),
        issuedAt: Timestamp,
        lastUsedAt: Nullable(Timestamp),
      }),
    ),
    webhook: Nullable(
      Type.Object({
        active: Type.Boolean(),
        paused: Type.Boolean({
          description: 'Off because no key has the scope `events`; held events are sent when one has it',
        }),
        lastErrorCode: Nullable(OneOf(DELIVERY_ERRORS)),
        lastError: Nullable(Type.String()),
      }),
    ),
    commands: Type.Array(Command),
    channels: Type.Array(Type.Object({ id: Id, name: Type.String(), role: RoleTitle })),
    limits: Type.Object({ requests: Type.Integer(), writes: Type.Integer() }, { description: 'Per 60 seconds' }),
  }),
)

export const createApplication = operation({
  at: 'POST /applications',
  summary: 'Create an application with its bot',
  by: 'person',
  input: Type.Object({ name: ApplicationName }),
  output: created(Application),
})

export const listApplications = operation({
  at: 'GET /applications',
  summary: 'List your applications',
  by: 'person',
  input: noInput,
  output: ok(Type.Object({ applications: Type.Array(Application) })),
})

const ofApplication = { applicationId: ApplicationId }

export const getApplication = operation({
  at: 'GET /applications/:applicationId',
  summary: 'Get one of your applications',
  by: 'person',
  input: Type.Object(ofApplication),
  output: ok(Application),
})

export const updateApplication = operation({
  at: 'PATCH /applications/:applicationId',
  summary: 'Rename an application and its bot',
  by: 'person',
  input: Type.Object({ ...ofApplication, name: Type.Optional(ApplicationName) }),
  output: ok(Application),
})

export const setApplicationPicture = operation({
  at: 'PUT /applications/:applicationId/picture',
  summary: 'Set the picture of an application’s bot',
  description: PICTURE_TEXT,
  by: 'person',
  takes: 'picture',
  input: Type.Object(ofApplication),
  output: ok(Application),
})

export const removeApplicationPicture = operation({
  at: 'DELETE /applications/:applicationId/picture',
  summary: 'Remove the picture of an application’s bot',
  by: 'person',
  input: Type.Object(ofApplication),
  output: ok(Application),
})

export const deleteApplication = operation({
  at: 'DELETE /applications/:applicationId',
  summary: 'Delete an application: its key stops working, its bot leaves every channel, its messages stay',
  by: 'person',
  input: Type.Object({ ...ofApplication, name: Text(1, 256, { description: 'The name, as confirmation' }) }),
  output: nothing,
})

export const issueKey = operation({
  at: 'PUT /applications/:applicationId/key',
  summary: 'Issue or re-issue the key with new scopes; the old key stops working immediately',
  by: 'person',
  input: Type.Object({ ...ofApplication, scopes: Scopes }),
  output: created(
    named(
      'IssuedKey',
      Type.Object({ key: Type.String({ description: 'Shown only once' }), scopes: Scopes, issuedAt: Timestamp }),
    ),
  ),
})

const Used = Type.Object({
  used: Count,
  limit: Count,
  freeing: Type.Array(Count, {
    description:
      'How many requests become available in each second from now on, so that clients can count without asking again',
  }),
})

export const getApplicationUsage = operation({
  at: 'GET /applications/:applicationId/usage',
  summary: 'Get what your application has used of its quotas in the last 60 seconds',
  description: 'Counted by the serving process, as the quotas are.',
  by: 'person',
  input: Type.Object(ofApplication),
  output: ok(named('ApplicationUsage', Type.Object({ requests: Used, writes: Used }))),
})

export type ApplicationSubject = (typeof APPLICATION_SUBJECTS)[number]
/**
 * What can change in an application while its owner watches: the application with its key, commands, channels and limits; its
 * webhook and deliveries; its event stream; its quota usage.
 */
export const APPLICATION_SUBJECTS = ['application', 'webhook', 'stream', 'usage'] as const

export const applicationChanged = eventKind({
  event: 'application.changed',
  summary: 'The state of one of your applications changed; sent to its owner, at most a few times per second',
  audience: 'portal',
  ephemeral: true,
  placeless: true,
  data: Type.Object({ applicationId: Id, subjects: Type.Array(OneOf(APPLICATION_SUBJECTS)) }),
})

export const applicationDeleted = eventKind({
  event: 'application.deleted',
  summary: 'One of your applications was deleted; sent to its owner',
  audience: 'portal',
  ephemeral: true,
  placeless: true,
  data: Type.Object({ applicationId: Id }),
})

export const setApplicationLimits = operation({
  at: 'PUT /applications/:applicationId/limits',
  summary: 'Set the quotas of an application',
  by: 'administrator',
  input: Type.Object({
    ...ofApplication,
    requests: Nullable(Integer(1, 1_000_000, { description: 'Per 60 seconds; null for the default of 60' })),
    writes: Nullable(Integer(1, 1_000_000, { description: 'Per 60 seconds; null for the default of 20' })),
  }),
  output: ok(Application),
})
