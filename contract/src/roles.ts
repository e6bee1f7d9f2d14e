import { Type, type Static } from 'typebox'
import { LIMITS } from './limits.ts'
import { Name } from './names.ts'
import { created, nothing, ok, operation, seen } from './operation.ts'
import { RIGHTS, ROLE_NAMES } from './rights.ts'
import { Count, Id, named, OneOf } from './schema.ts'

export const Rights = Type.Array(OneOf(RIGHTS), { uniqueItems: true, rule: 'must be a list of rights' })
const RoleName = Name(LIMITS.roleName.min, LIMITS.roleName.max, { examples: ['Night watch'] })

export type Role = Static<typeof Role>
export const Role = named(
  'Role',
  Type.Object({
    id: Id,
    systemName: OneOf(ROLE_NAMES),
    name: Type.String(),
    rank: Type.Integer({ description: 'The higher, the more senior' }),
    rights: Rights,
    memberCount: Count,
  }),
)

export const listRoles = operation({
  at: 'GET /channels/:channelId/roles',
  summary: 'The roles of a channel, highest first',
  by: 'person',
  access: { channel: true },
  input: Type.Object({ channelId: Id }),
  output: ok(Type.Object({ roles: Type.Array(Role) })),
})

export const createRole = operation({
  at: 'POST /channels/:channelId/roles',
  summary: 'Make a role, ranked just above ordinary members',
  description: 'Only rights that one has oneself can be given.',
  by: 'person',
  access: { channel: true, right: 'manage_roles', exclusive: true },
  input: Type.Object({ channelId: Id, name: RoleName, rights: Rights }),
  output: created(Role),
})

export const updateRole = operation({
  at: 'PATCH /channels/:channelId/roles/:roleId',
  summary: 'Change a role that ranks below one’s own',
  description: 'Only rights that one has oneself can be added.',
  by: 'person',
  access: { channel: true, right: 'manage_roles', exclusive: true },
  input: Type.Object({
    channelId: Id,
    roleId: Id,
    name: Type.Optional(RoleName),
    rights: Type.Optional(Rights),
    seen: seen({ name: Type.Optional(Type.String()), rights: Type.Optional(Rights) }),
  }),
  output: ok(Role),
})

export const sortRoles = operation({
  at: 'PUT /channels/:channelId/roles/order',
  summary: 'Put the roles of the channel’s own making in order, highest first',
  description:
    'Names every role of the channel’s own making once. The moderator role may stand among them: those before it then rank above it; without it, all rank below it. Roles that rank at or above one’s own keep their places.',
  by: 'person',
  access: { channel: true, right: 'manage_roles', exclusive: true },
  input: Type.Object({ channelId: Id, roleIds: Type.Array(Id, { maxItems: LIMITS.rolesOfChannel }) }),
  output: nothing,
})

export const deleteRole = operation({
  at: 'DELETE /channels/:channelId/roles/:roleId',
  summary: 'Delete a role of the channel’s own making; its members keep their others',
  by: 'person',
  access: { channel: true, right: 'manage_roles', exclusive: true },
  input: Type.Object({ channelId: Id, roleId: Id }),
  output: nothing,
})
