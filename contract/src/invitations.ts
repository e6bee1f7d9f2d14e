import { Type, type Static } from 'typebox'
import { Author } from './accounts.ts'
import { LIMITS } from './limits.ts'
import { created, nothing, ok, operation } from './operation.ts'
import { ChannelId } from './ids.ts'
import { Count, Id, Integer, named, Nullable, Timestamp } from './schema.ts'

const Code = Type.String({
  pattern: '^[A-Za-z0-9_-]{8,64}$',
  rule: 'must be an invitation code',
  description: 'The code of the invitation link',
})

export type Invitation = Static<typeof Invitation>
export const Invitation = named(
  'Invitation',
  Type.Object({
    id: Id,
    code: Type.String(),
    url: Type.String({ description: 'The link to share' }),
    createdBy: Nullable(Author),
    createdAt: Timestamp,
    expiresAt: Nullable(Timestamp),
    maxUses: Nullable(Type.Integer()),
    uses: Count,
  }),
)

export const createInvitation = operation({
  at: 'POST /channels/:channelId/invitations',
  summary: 'Create an invitation link',
  by: 'person',
  access: { channel: true, right: 'invite_member', exclusive: true },
  input: Type.Object({
    channelId: ChannelId,
    maxUses: Type.Optional(Nullable(Integer(1, 100_000, { description: 'Default: no limit' }))),
    lifeSec: Type.Optional(
      Nullable(Integer(60, 31_536_000, { description: 'Default: seven days; null for no expiry' })),
    ),
  }),
  output: created(Invitation),
})

export const listInvitations = operation({
  at: 'GET /channels/:channelId/invitations',
  summary: 'List the valid invitation links of a channel',
  description: 'All of them with the right `manage_channel`, otherwise your own.',
  by: 'person',
  access: { channel: true },
  input: Type.Object({ channelId: ChannelId }),
  output: ok(Type.Object({ invitations: Type.Array(Invitation, { maxItems: LIMITS.invitationsOfChannel }) })),
})

export const revokeInvitation = operation({
  at: 'DELETE /channels/:channelId/invitations/:invitationId',
  summary: 'Revoke an invitation link',
  description: 'Your own, or any with the right `manage_channel`.',
  by: 'person',
  access: { channel: true, exclusive: true },
  input: Type.Object({ channelId: ChannelId, invitationId: { ...Id, description: 'The invitation' } }),
  output: nothing,
})

export const getInvitation = operation({
  at: 'GET /invitations/:code',
  summary: 'Get the channel of an invitation link',
  by: 'anyone',
  input: Type.Object({ code: Code }),
  output: ok(
    Type.Object({
      code: Type.String(),
      channel: Type.Object({ id: Id, name: Type.String(), description: Nullable(Type.String()), memberCount: Count }),
      expiresAt: Nullable(Timestamp),
    }),
  ),
})

export const acceptInvitation = operation({
  at: 'POST /invitations/:code/accept',
  summary: 'Join the channel of an invitation (no effect if already a member)',
  by: 'person',
  input: Type.Object({ code: Code }),
  output: ok(Type.Object({ channelId: Id })),
})
