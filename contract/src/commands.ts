import { Type, type Static } from 'typebox'
import { CommandOptions } from './command-options.ts'
import { LIMITS } from './limits.ts'
import { noInput, ok, operation } from './operation.ts'
import { ChannelId } from './ids.ts'
import { Id, named, Nullable, Text } from './schema.ts'

const CommandName = Type.String({
  description: 'Starts with `/`, then letters (Latin or Cyrillic), digits and hyphens; case-insensitive',
  minLength: 2,
  maxLength: LIMITS.commandName,
  pattern: '^/[A-Za-zÀ-ÖØ-öø-ɏЀ-ҁҊ-ԯ0-9-]+$',
  rule: `must start with / and go on with letters (Latin or Cyrillic), digits and hyphens, up to ${LIMITS.commandName} characters`,
  examples: ['/deploy'],
})
const Description = Text(1, LIMITS.commandDescription, { examples: ['Deploy a build to staging'] })
const Usage = Nullable(
  Text(0, LIMITS.commandUsage, { description: 'A hint about the arguments', examples: ['<service> <version>'] }),
)

export type Command = Static<typeof Command>
export const Command = named(
  'Command',
  Type.Object({
    name: Type.String({ examples: ['/deploy'] }),
    description: Type.String({ examples: ['Deploy a build to staging'] }),
    usage: Nullable(Type.String({ description: 'A hint about the arguments', examples: ['<service> <version>'] })),
    position: Type.Integer({ description: 'From 1, in the order of the list', examples: [1] }),
    options: Type.Optional(CommandOptions),
  }),
)

const CommandList = Type.Object({ commands: Type.Array(Command) })

export const listCommands = operation({
  at: 'GET /commands',
  summary: 'List the application’s commands',
  by: 'bot',
  scope: 'commands',
  input: noInput,
  output: ok(CommandList),
})

export const replaceCommands = operation({
  at: 'PUT /commands',
  summary: 'Replace the whole list of commands; an empty list clears it',
  by: 'bot',
  scope: 'commands',
  quota: 'write',
  input: Type.Object({
    commands: Type.Array(
      Type.Object({
        name: CommandName,
        description: Description,
        usage: Type.Optional(Usage),
        options: Type.Optional(CommandOptions),
      }),
      {
        maxItems: LIMITS.commands,
        description: 'The complete list, in the order in which people see it',
        examples: [[{ name: '/deploy', description: 'Deploy a build to staging', usage: '<service> <version>' }]],
        rule: `must be a list of at most ${LIMITS.commands} commands`,
      },
    ),
  }),
  output: ok(CommandList),
})

export const listChannelCommands = operation({
  at: 'GET /channels/:channelId/commands',
  summary: 'List the commands of all bots in a channel',
  description:
    'A room offers the commands of bots that can read and write in it: `silent` lists the rooms in which a bot can’t.',
  by: 'person',
  access: { channel: true },
  input: Type.Object({ channelId: ChannelId }),
  output: ok(
    Type.Object({
      commands: Type.Array(
        named(
          'ChannelCommand',
          Type.Object({
            name: Type.String(),
            description: Type.String(),
            usage: Nullable(Type.String()),
            position: Type.Integer(),
            options: Type.Optional(CommandOptions),
            bot: Type.Object({
              id: Id,
              name: Type.String(),
              hasWebhook: Type.Boolean({ description: 'Events reach it even while it is offline' }),
            }),
          }),
        ),
      ),
      silent: Type.Array(Type.Object({ botId: Id, roomIds: Type.Array(Id) }), {
        description: 'Rooms visible to the caller in which the bot can’t reply',
      }),
    }),
  ),
})
