import { Type, type Static } from 'typebox'
import { RoleTitle } from './channels.ts'
import { ok, operation } from './operation.ts'
import { RIGHTS } from './rights.ts'
import { ROOM_TYPES } from './rooms.ts'
import { Id, named, Nullable, OneOf, Timestamp } from './schema.ts'
import { SCOPES, type Scope } from './scopes.ts'

const ofApplication = { applicationId: Id }

/** What a bot's request goes through, in this order. The first that forbids is what the API answers. */
export const ACCESS_CHECKS = ['scope', 'installation', 'room', 'role', 'override', 'mute'] as const

/** `overruled`: it alone would forbid, but the room's own setting allows it. `unknown`: one before it must pass first. */
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
      ...OneOf(['no_key', 'no_such_room', 'not_admitted', 'wrong_room_type']),
      description: 'What is wrong with the key or the room',
    }),
    needs: Type.Optional(Type.Array(OneOf(ROOM_TYPES), { description: 'The types of room that it works in' })),
    roles: Type.Optional(
      Type.Array(RoleTitle, {
        description:
          'The roles that decide: of `role` those of the bot, of `override` those that the room denies it to',
      }),
    ),
    until: Type.Optional({ ...Nullable(Timestamp), description: 'When the mute ends; null: when it is lifted' }),
  }),
)

export type AccessExplanation = Static<typeof AccessExplanation>
export const AccessExplanation = named(
  'AccessExplanation',
  Type.Object({
    allowed: Type.Boolean(),
    refusal: Nullable(
      Type.Object({
        status: Type.Integer({ description: 'Of the HTTP answer' }),
        message: Type.String(),
        reason: Type.Optional(Type.String()),
        requiredScope: Type.Optional(Type.String()),
        requiredRight: Type.Optional(Type.String()),
      }),
    ),
    checks: Type.Array(AccessCheck),
    talking: Type.Optional(
      Type.Array(AccessCheck, { description: 'Of `joinVoice`: what decides whether the bot is heard there' }),
    ),
  }),
)

export const explainAccess = operation({
  at: 'GET /applications/:applicationId/access/:operation',
  summary: 'Whether the bot of one’s application may do something somewhere, and what forbids it',
  by: 'person',
  input: Type.Object({
    ...ofApplication,
    operation: Type.String({
      maxLength: 64,
      pattern: '^[A-Za-z]+$',
      rule: 'must be the name of an operation of the bot API',
      examples: ['sendMessage'],
    }),
    channelId: Type.Optional(Id),
    roomId: Type.Optional(Id),
  }),
  output: ok(AccessExplanation),
})

export const listApplicationRooms = operation({
  at: 'GET /applications/:applicationId/channels/:channelId/rooms',
  summary: 'The rooms of a channel that the bot of one’s application may see, and those that one sees oneself',
  by: 'person',
  input: Type.Object({ ...ofApplication, channelId: Id }),
  output: ok(
    Type.Object({
      rooms: Type.Array(Type.Object({ id: Id, name: Type.String(), type: OneOf(ROOM_TYPES), private: Type.Boolean() })),
    }),
  ),
})
