import { Type, type Static } from 'typebox'
import type { OptionValue } from './parse-options.ts'
import { named, OneOf, Text } from './schema.ts'

export const OPTION_LIMITS = {
  options: 10,
  name: 32,
  description: 120,
  choices: 25,
  choiceValue: 50,
  choiceLabel: 80,
  /** Of all options of an application's commands, as JSON. */
  characters: 32_000,
} as const

export const OPTION_TYPES = ['string', 'integer', 'number', 'boolean', 'member', 'room', 'role', 'choice'] as const

const OptionName = Type.String({
  description:
    'Starts with a letter (Latin or Cyrillic), then letters, digits, hyphens and underscores; case-insensitive',
  maxLength: OPTION_LIMITS.name,
  pattern: '^[A-Za-zÀ-ÖØ-öø-ɏЀ-ҁҊ-ԯ][A-Za-zÀ-ÖØ-öø-ɏЀ-ҁҊ-ԯ0-9_-]*$',
  rule: `must start with a letter (Latin or Cyrillic) and go on with letters, digits, hyphens and underscores, up to ${OPTION_LIMITS.name} characters`,
  examples: ['service'],
})
const Choice = named(
  'CommandChoice',
  Type.Object({
    value: Type.String({
      maxLength: OPTION_LIMITS.choiceValue,
      pattern: '^[^\\s"\'“«]\\S*$',
      rule: `must be 1–${OPTION_LIMITS.choiceValue} characters without blanks, not beginning with a quotation mark`,
      description: 'What people write, and the bot receives',
      examples: ['staging'],
    }),
    label: Type.Optional(
      Text(1, OPTION_LIMITS.choiceLabel, { description: 'What people read. Absent: the value', examples: ['Staging'] }),
    ),
  }),
)

/** What JSON can carry without losing digits. */
const bound = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER, rule: 'must be a number' }

export type CommandOption = Static<typeof CommandOption>
export const CommandOption = named(
  'CommandOption',
  Type.Object(
    {
      name: OptionName,
      type: OneOf(OPTION_TYPES, { examples: ['string'] }),
      description: Type.Optional(Text(1, OPTION_LIMITS.description, { examples: ['What to deploy'] })),
      required: Type.Optional(
        Type.Boolean({ description: 'Absent: people can leave it out', rule: 'must be true or false' }),
      ),
      min: Type.Optional(
        Type.Number({
          ...bound,
          description: 'The least `integer` or `number`, or how many characters a `string` has',
        }),
      ),
      max: Type.Optional(Type.Number({ ...bound, description: 'As with `min`' })),
      choices: Type.Optional(
        Type.Array(Choice, {
          minItems: 1,
          maxItems: OPTION_LIMITS.choices,
          rule: `must be a list of 1–${OPTION_LIMITS.choices} choices`,
          description: 'Of a `choice`, which needs them: people choose one',
        }),
      ),
      suggestions: Type.Optional(
        Type.Boolean({
          description:
            'Of a `string`, an `integer` or a `number`: while people write it, the bot is asked what to suggest, with the event `option.requested`',
          rule: 'must be true or false',
        }),
      ),
    },
    { check: 'option' },
  ),
)

export const CommandOptions = Type.Array(CommandOption, {
  minItems: 1,
  maxItems: OPTION_LIMITS.options,
  check: 'options',
  rule: `must be a list of 1–${OPTION_LIMITS.options} options`,
  description: 'What people write after the name, in this order. Absent if the bot reads it itself',
  examples: [[{ name: 'service', type: 'string', required: true }]],
})

/** A command as it was understood. */
export type InvokedCommand = Static<typeof InvokedCommand>
export const InvokedCommand = named(
  'InvokedCommand',
  Type.Object({
    name: Type.String({ description: 'As it was declared', examples: ['/deploy'] }),
    options: Type.Unsafe<Record<string, OptionValue>>({
      type: 'object',
      additionalProperties: { type: ['string', 'number', 'boolean'] },
      description: 'Those that were given and could be read, by name. A member, a room or a role is an id',
      examples: [{ service: 'api', count: 3 }],
    }),
    errors: Type.Optional(
      Type.Array(
        named(
          'OptionError',
          Type.Object({
            option: Type.Optional(
              Type.String({ description: 'Absent for text that belongs to no option', examples: ['count'] }),
            ),
            problem: Type.String({ description: 'A stable code for programs', examples: ['not_integer'] }),
            message: Type.String({ examples: ['count must be a whole number.'] }),
          }),
        ),
        { description: 'What is wrong with the options. Absent if nothing is' },
      ),
    ),
  }),
)
