import { Type, type Static } from 'typebox'
import { Author } from './accounts.ts'
import { Scopes } from './applications.ts'
import { RoleTitle } from './channels.ts'
import { Command } from './commands.ts'
import { eventKind } from './event.ts'
import { ApplicationId, ChannelId } from './ids.ts'
import { nothing, ok, operation } from './operation.ts'
import { Rights } from './roles.ts'
import { Id, named, Nullable, Timestamp } from './schema.ts'

const ofApplication = { applicationId: ApplicationId }

/** An application as shown to people who decide whether to install it. */
export const ApplicationCard = named(
  'ApplicationCard',
  Type.Object({
    id: Id,
    name: Type.String(),
    owner: Author,
    bot: Type.Object({ id: Id, name: Type.String(), avatar: Type.String(), avatarVersion: Type.Integer() }),
    scopes: Scopes,
    commands: Type.Array(Command),
  }),
)

export const getApplicationCard = operation({
  at: 'GET /applications/:applicationId/card',
  summary: 'Get what the install screen shows of an application',
  by: 'person',
  input: Type.Object(ofApplication),
  output: ok(ApplicationCard),
})

export type InstallPlace = Static<typeof InstallPlace>
export const InstallPlace = named(
  'InstallPlace',
  Type.Object({
    channel: Type.Object({ id: Id, name: Type.String(), image: Type.String(), avatarVersion: Type.Integer() }),
    roles: Type.Array(
      Type.Object({ id: Id, systemName: RoleTitle.properties.systemName, name: Type.String(), rights: Rights }),
      { description: 'The roles you can give to its bot, highest first; always includes CHANNEL_BOT' },
    ),
    installedAs: Nullable({ ...RoleTitle, description: 'The role of its bot; null if not installed' }),
  }),
)

export const listInstallPlaces = operation({
  at: 'GET /applications/:applicationId/places',
  summary: 'List the channels in which you can install an application',
  by: 'person',
  input: Type.Object(ofApplication),
  output: ok(Type.Object({ places: Type.Array(InstallPlace) })),
})

export const Installation = named(
  'Installation',
  Type.Object({
    application: ApplicationCard,
    role: RoleTitle,
    roleId: Id,
    installedAt: Timestamp,
  }),
)

export const listInstallations = operation({
  at: 'GET /channels/:channelId/applications',
  summary: 'List the applications installed in a channel',
  by: 'person',
  access: { channel: true },
  input: Type.Object({ channelId: ChannelId }),
  output: ok(Type.Object({ installations: Type.Array(Installation) })),
})

export const installApplication = operation({
  at: 'PUT /channels/:channelId/applications/:applicationId',
  summary: 'Install an application in a channel, or change its bot’s role',
  by: 'person',
  access: { channel: true, right: 'manage_bots', exclusive: true },
  input: Type.Object({
    channelId: ChannelId,
    ...ofApplication,
    roleId: Type.Optional({ ...Id, description: 'A role that ranks below your own; default CHANNEL_BOT' }),
  }),
  output: ok(Installation),
})

export const removeApplication = operation({
  at: 'DELETE /channels/:channelId/applications/:applicationId',
  summary: 'Remove an application from a channel; its messages stay',
  by: 'person',
  access: { channel: true, right: 'manage_bots', exclusive: true },
  input: Type.Object({ channelId: ChannelId, ...ofApplication }),
  output: nothing,
})

const ofChannel = { channel: Type.Object({ id: ChannelId, name: Type.String({ examples: ['Workshop'] }) }) }

export const applicationInstalled = eventKind({
  event: 'application.installed',
  summary: 'The application itself was installed in a channel',
  audience: 'bots',
  optIn: true,
  aboutInstallation: true,
  data: Type.Object({
    ...ofChannel,
    role: Type.Object(
      { systemName: RoleTitle.properties.systemName, name: RoleTitle.properties.name },
      { description: 'The role of its bot' },
    ),
  }),
})

export const applicationRemoved = eventKind({
  event: 'application.removed',
  summary: 'The application itself was removed from a channel, or the channel was deleted: its last event from there',
  audience: 'bots',
  optIn: true,
  aboutInstallation: true,
  data: Type.Object(ofChannel),
})
