import { Type, type Static } from 'typebox'
import { LIMITS } from './limits.ts'
import { Name } from './names.ts'
import { created, nothing, ok, operation, seen } from './operation.ts'
import { RIGHTS, ROLE_NAMES } from './rights.ts'
import { NamedColor, OptionalColor } from './channels.ts'
import { ChannelId, RoleId } from './ids.ts'
import { Count, Id, named, Nullable, OneOf } from './schema.ts'

export const Rights = Type.Array(OneOf(RIGHTS), { uniqueItems: true, rule: 'must be a list of rights' })
const RoleName = Name(LIMITS.roleName.min, LIMITS.roleName.max, { examples: ['Night watch'] })
const ChosenColor = Nullable({ ...NamedColor, description: 'Null for none' })

export type Role = Static<typeof Role>
export const Role = named(
  'Role',
  Type.Object({
    id: Id,
    systemName: OneOf(ROLE_NAMES),
    name: Type.String(),
    color: OptionalColor,
    rank: Type.Integer({ description: 'A higher number outranks a lower one' }),
    rights: Rights,
    memberCount: Count,
  }),
)

export const listRoles = operation({
  at: 'GET /channels/:channelId/roles',
  summary: 'List the roles of a channel, highest first',
  by: 'person',
  access: { channel: true },
  input: Type.Object({ channelId: ChannelId }),
  output: ok(Type.Object({ roles: Type.Array(Role) })),
})

export const listRoleColors = operation({
  at: 'GET /channels/:channelId/roles/colors',
  summary: 'List the roles of a channel that have a color, highest first',
  description: 'A member’s name has the color of the first of these roles that they have.',
  by: 'person',
  access: { channel: true },
  input: Type.Object({ channelId: ChannelId }),
  output: ok(Type.Object({ colors: Type.Array(Type.Object({ roleId: Id, color: NamedColor })) })),
})

export const createRole = operation({
  at: 'POST /channels/:channelId/roles',
  summary: 'Create a role, ranked just above ordinary members',
  description: 'You can give only rights that you have.',
  by: 'person',
  access: { channel: true, right: 'manage_roles', exclusive: true },
  input: Type.Object({ channelId: ChannelId, name: RoleName, rights: Rights, color: Type.Optional(ChosenColor) }),
  output: created(Role),
})

export const updateRole = operation({
  at: 'PATCH /channels/:channelId/roles/:roleId',
  summary: 'Change a role that ranks below your own',
  description:
    'You can add only rights that you have. Of the owner’s role only the color can be changed, and only by the owner.',
  by: 'person',
  access: { channel: true, right: 'manage_roles', exclusive: true },
  input: Type.Object({
    channelId: ChannelId,
    roleId: RoleId,
    name: Type.Optional(RoleName),
    rights: Type.Optional(Rights),
    color: Type.Optional(ChosenColor),
    seen: seen({
      name: Type.Optional(Type.String()),
      rights: Type.Optional(Rights),
      color: Type.Optional(ChosenColor),
    }),
  }),
  output: ok(Role),
})

export const sortRoles = operation({
  at: 'PUT /channels/:channelId/roles/order',
  summary: 'Reorder the custom roles, highest first',
  description:
    'Lists every custom role once. The list may include the moderator role: roles before it then rank above it; without it, all rank below it. Roles that rank at or above your own keep their place.',
  by: 'person',
  access: { channel: true, right: 'manage_roles', exclusive: true },
  input: Type.Object({ channelId: ChannelId, roleIds: Type.Array(Id, { maxItems: LIMITS.rolesOfChannel }) }),
  output: nothing,
})

export const deleteRole = operation({
  at: 'DELETE /channels/:channelId/roles/:roleId',
  summary: 'Delete a custom role; its members keep their other roles',
  by: 'person',
  access: { channel: true, right: 'manage_roles', exclusive: true },
  input: Type.Object({ channelId: ChannelId, roleId: RoleId }),
  output: nothing,
})
