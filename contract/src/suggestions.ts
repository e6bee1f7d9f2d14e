import { Type, type Static } from 'typebox'
import { Author } from './accounts.ts'
import { InvokedCommand, OPTION_LIMITS } from './command-options.ts'
import { eventKind } from './event.ts'
import { BotId, ChannelId, RoomId } from './ids.ts'
import { LIMITS } from './limits.ts'
import { created, nothing, operation } from './operation.ts'
import { Id, named, Text } from './schema.ts'
import { SUGGESTION_LIMITS } from './suggestion-limits.ts'

const OptionRequestId = Type.String({
  pattern: '^[A-Za-z0-9_-]{80}$',
  rule: 'must be the requestId of an event',
  description: 'The `requestId` of the event',
  examples: ['AaBb6m4EfxijtwuSwajZjUYBoF_7cAB8RKHTOm8MDpuUAZpXq6Ah9YwPKzKbGm-S0aV7xFq2JdLyUe1T'],
})

const Suggestion = named(
  'Suggestion',
  Type.Object(
    {
      value: Type.String({
        minLength: 1,
        maxLength: SUGGESTION_LIMITS.value,
        format: 'text',
        pattern: '^\\S(?:[^\\r\\n]*\\S)?$',
        rule: `must be one line of 1–${SUGGESTION_LIMITS.value} characters, without blanks around it`,
        description: 'What is written for the option, in quotation marks if it needs them',
        examples: ['api'],
      }),
      label: Type.Optional(
        Text(1, SUGGESTION_LIMITS.label, {
          description: 'What people read. Absent: the value',
          examples: ['API server'],
        }),
      ),
    },
    { description: 'A value that people can choose' },
  ),
)

const Suggestions = Type.Array(Suggestion, {
  maxItems: SUGGESTION_LIMITS.suggestions,
  rule: `must be a list of at most ${SUGGESTION_LIMITS.suggestions} suggestions`,
  description: `At most ${SUGGESTION_LIMITS.suggestions}, in the order in which people see them`,
  examples: [[{ value: 'api', label: 'API server' }]],
})

export const requestSuggestions = operation({
  at: 'POST /rooms/:roomId/option-requests',
  summary: 'Ask a bot what to suggest for an option of its command, while it is being written',
  description:
    'The bot gets the event `option.requested`, if it is connected now and asks for this kind. What it suggests arrives as `option.suggested`.',
  by: 'person',
  access: { room: ['text'], right: 'write_text_room' },
  input: Type.Object({
    channelId: ChannelId,
    roomId: RoomId,
    botId: { ...BotId, description: 'The bot whose command it is' },
    command: Text(1, LIMITS.commandName, { examples: ['/deploy'] }),
    option: Text(1, OPTION_LIMITS.name, { description: 'One with `suggestions`', examples: ['service'] }),
    typed: Text(0, SUGGESTION_LIMITS.typed, { description: 'What is written of the option so far', examples: ['ap'] }),
    line: Text(0, LIMITS.messageText, {
      description: 'What is written after the command, as it would be sent: the bot gets the other options',
      examples: ['where:live ap'],
    }),
  }),
  output: created(named('OptionRequest', Type.Object({ id: OptionRequestId }))),
})

export const sendSuggestions = operation({
  at: 'PUT /option-requests/:requestId/suggestions',
  summary: 'Suggest values for an option that someone is writing',
  description: `The answer to \`option.requested\`, within ${SUGGESTION_LIMITS.within} seconds. Only the portal in which the option is written shows it; the first answer counts. Suggestions are hints: people may write other values. Doesn’t count against the quotas of requests and writes: it has its own of ${SUGGESTION_LIMITS.requests} a second.`,
  by: 'bot',
  scope: 'commands',
  quota: 'suggest',
  refusals: ['optionRequestOver'],
  input: Type.Object({ requestId: OptionRequestId, suggestions: Suggestions }),
  output: nothing,
})

export const optionRequested = eventKind({
  event: 'option.requested',
  summary: 'Someone is writing an option of a command of the application, and would like suggestions',
  audience: 'bots',
  optIn: true,
  ephemeral: true,
  data: Type.Object({
    requestId: Type.String({ description: 'For the answer' }),
    roomId: Id,
    command: Type.String({ description: 'As it was declared' }),
    option: Type.String({ description: 'As it was declared' }),
    typed: Type.String({ description: 'What is written of it so far; may be empty' }),
    options: InvokedCommand.properties.options,
    user: Author,
  }),
})

export type OptionSuggestions = Static<typeof optionSuggested.data>
export const optionSuggested = eventKind({
  event: 'option.suggested',
  summary: 'A bot suggests values for an option that this person is writing',
  audience: 'portal',
  ephemeral: true,
  data: Type.Object({ requestId: OptionRequestId, suggestions: Suggestions }),
})
