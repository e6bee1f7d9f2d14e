import { Type, type Static } from 'typebox'
import { Author } from './accounts.ts'
import { eventKind } from './event.ts'
import { ChannelId, MessageId, RoomId } from './ids.ts'
import { created, operation } from './operation.ts'
import { Id, named, OneOf, Text } from './schema.ts'

export const COMPONENT_LIMITS = {
  components: 10,
  id: 100,
  label: 80,
  options: 25,
  optionValue: 100,
  optionLabel: 80,
} as const

export const COMPONENT_TYPES = ['button', 'select'] as const
export const BUTTON_STYLES = ['default', 'primary', 'danger'] as const

const ComponentId = Text(1, COMPONENT_LIMITS.id, {
  description: 'Chosen by the bot, and unique in the message',
  examples: ['approve'],
})
const OptionValue = Text(1, COMPONENT_LIMITS.optionValue, { description: 'Chosen by the bot', examples: ['staging'] })

export type Component = Static<typeof Component>
export const Component = named(
  'Component',
  Type.Object(
    {
      type: OneOf(COMPONENT_TYPES, { examples: ['button'] }),
      id: ComponentId,
      label: Text(1, COMPONENT_LIMITS.label, { description: 'What people read', examples: ['Approve'] }),
      style: Type.Optional(
        OneOf(BUTTON_STYLES, { description: 'Of a button. Absent: `default`', examples: ['primary'] }),
      ),
      options: Type.Optional(
        Type.Array(
          named(
            'ComponentOption',
            Type.Object({
              value: OptionValue,
              label: Text(1, COMPONENT_LIMITS.optionLabel, { description: 'What people read', examples: ['Staging'] }),
            }),
          ),
          {
            minItems: 1,
            maxItems: COMPONENT_LIMITS.options,
            rule: `must be a list of 1–${COMPONENT_LIMITS.options} options`,
            description: 'Of a select, which needs them: people choose one',
          },
        ),
      ),
    },
    { check: 'component' },
  ),
)

export const Components = Type.Array(Component, {
  maxItems: COMPONENT_LIMITS.components,
  check: 'components',
  rule: `must be a list of at most ${COMPONENT_LIMITS.components} buttons and selects`,
  description: `Buttons and selects, at most ${COMPONENT_LIMITS.components}`,
  examples: [[{ type: 'button', id: 'approve', label: 'Approve', style: 'primary' }]],
})

const pressed = {
  messageId: { ...MessageId, description: 'A message of a bot' },
  componentId: ComponentId,
  value: Type.Optional({ ...OptionValue, description: 'The chosen option of a select' }),
}

export const pressComponent = operation({
  at: 'POST /rooms/:roomId/messages/:messageId/presses',
  summary: 'Press a button of a bot’s message, or choose an option of a select',
  description:
    'The bot gets the event `component.pressed`, when it is there. It may answer by editing the message, with a notice, or not at all.',
  by: 'person',
  access: { room: ['text'], right: 'read_text_room' },
  input: Type.Object({ channelId: ChannelId, roomId: RoomId, ...pressed }),
  output: created(named('Press', Type.Object({ id: { ...Id, description: 'The press' } }))),
})

export const componentPressed = eventKind({
  event: 'component.pressed',
  summary: 'Someone pressed a button or chose an option of a message of the application',
  audience: 'bots',
  optIn: true,
  botsIn: 'text',
  forReaders: true,
  data: Type.Object({ roomId: Id, ...pressed, pressId: Id, user: Author }),
})
