import { Type, type Static } from 'typebox'
import { RoleTitle } from './channels.ts'
import { BOT_EVENTS } from './event-names.ts'
import { ok, operation } from './operation.ts'
import { RIGHTS } from './rights.ts'
import { ROOM_TYPES } from './rooms.ts'
import { ApplicationId, ChannelId, RoomId } from './ids.ts'
import { Id, named, Nullable, OneOf, Timestamp } from './schema.ts'
import { SCOPES, type Scope } from './scopes.ts'

const ofApplication = { applicationId: ApplicationId }

/**
 * The checks of a bot's request, in this order. The first that fails decides the response. `media`, whether the portal has
 * a media server, only decides whether the bot can talk; `kinds`, what the stream or the webhook asked for, only what is sent;
 * `commands`, what it has declared, only what people are offered.
 */
export const ACCESS_CHECKS = [
  'scope',
  'installation',
  'room',
  'media',
  'role',
  'override',
  'mute',
  'kinds',
  'commands',
] as const

/** `overruled`: it would fail, but a room override allows it. `unknown`: an earlier check failed. */
export const CHECK_STATES = ['passes', 'forbids', 'overruled', 'unknown'] as const

export type AccessCheck = Static<typeof AccessCheck>
export const AccessCheck = named(
  'AccessCheck',
  Type.Object({
    check: OneOf(ACCESS_CHECKS),
    state: OneOf(CHECK_STATES),
    scope: Type.Optional({ ...OneOf(Object.keys(SCOPES) as Scope[]), description: 'The scope that is needed' }),
    right: Type.Optional({ ...OneOf(RIGHTS), description: 'The right that is needed' }),
    fault: Type.Optional({
      ...OneOf(['no_key', 'no_such_room', 'not_admitted', 'wrong_room_type', 'not_connected', 'no_suggestions']),
      description: 'What is wrong with the key, the room, the stream or the commands',
    }),
    needs: Type.Optional(Type.Array(OneOf(ROOM_TYPES), { description: 'The types of room that it works in' })),
    roles: Type.Optional(
      Type.Array(RoleTitle, {
        description:
          'The roles that decide: for `role` the bot’s roles, for `override` the roles to which the room denies it',
      }),
    ),
    kinds: Type.Optional(
      Type.Array(OneOf(BOT_EVENTS), { description: 'The events that are sent; absent for the default ones' }),
    ),
    until: Type.Optional({ ...Nullable(Timestamp), description: 'When the mute ends; null if it has no end' }),
  }),
)

export type AccessExplanation = Static<typeof AccessExplanation>
export const AccessExplanation = named(
  'AccessExplanation',
  Type.Object({
    allowed: Type.Boolean(),
    refusal: Nullable(
      Type.Object({
        status: Type.Integer({ description: 'Status of the HTTP response' }),
        message: Type.String(),
        reason: Type.Optional(Type.String()),
        requiredScope: Type.Optional(Type.String()),
        requiredRight: Type.Optional(Type.String()),
      }),
    ),
    checks: Type.Array(AccessCheck),
    talking: Type.Optional(
      Type.Array(AccessCheck, { description: 'For `joinVoice`: what decides whether the bot can talk' }),
    ),
    offered: Type.Optional(
      Type.Array(AccessCheck, {
        description:
          'In a room: for `replaceCommands` what decides whether people see the commands there, for `sendSuggestions` whether the bot is asked',
      }),
    ),
  }),
)

export const explainAccess = operation({
  at: 'GET /applications/:applicationId/access/:operation',
  summary: 'Explain whether your application’s bot can perform an operation, and what prevents it',
  by: 'person',
  input: Type.Object({
    ...ofApplication,
    operation: Type.String({
      maxLength: 64,
      pattern: '^[A-Za-z]+$',
      rule: 'must be the name of an operation of the bot API',
      description: 'An operation of the bot API',
      examples: ['sendMessage'],
    }),
    channelId: Type.Optional({ ...ChannelId, description: 'Where the bot would perform it' }),
    roomId: Type.Optional({ ...RoomId, description: 'Where the bot would perform it' }),
  }),
  output: ok(AccessExplanation),
})

export const listApplicationRooms = operation({
  at: 'GET /applications/:applicationId/channels/:channelId/rooms',
  summary: 'List the rooms of a channel that your application’s bot or you can see',
  by: 'person',
  input: Type.Object({ ...ofApplication, channelId: ChannelId }),
  output: ok(
    Type.Object({
      rooms: Type.Array(Type.Object({ id: Id, name: Type.String(), type: OneOf(ROOM_TYPES), private: Type.Boolean() })),
    }),
  ),
})
