import { Type, type Static } from 'typebox'
import { Author } from './accounts.ts'
import { eventKind } from './event.ts'
import { BotId, ChannelId, MessageId, NoticeId, RoomId } from './ids.ts'
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

/** Made by the server: a notice isn’t stored, so a press has to show that the bot sent it to this person. */
export const ComponentProof = Type.String({
  pattern: '^[A-Za-z0-9_-]{43}$',
  rule: 'must be the proof of the notice',
  description: 'Shows that the notice was shown to this person. Presses carry it',
  examples: ['h5Zt0y3Qw1rUoV9sK2dLx7CbEaGmNfPj4iTq6Ye8XRc'],
})

export const Components = Type.Array(Component, {
  maxItems: COMPONENT_LIMITS.components,
  check: 'components',
  rule: `must be a list of at most ${COMPONENT_LIMITS.components} buttons and selects`,
  description: `Buttons and selects, at most ${COMPONENT_LIMITS.components}`,
  examples: [[{ type: 'button', id: 'approve', label: 'Approve', style: 'primary' }]],
})

const chosen = {
  componentId: ComponentId,
  value: Type.Optional({ ...OptionValue, description: 'The chosen option of a select' }),
}
const Press = named('Press', Type.Object({ id: { ...Id, description: 'The press' } }))

export const pressComponent = operation({
  at: 'POST /rooms/:roomId/messages/:messageId/presses',
  summary: 'Press a button of a bot’s message, or choose an option of a select',
  description:
    'The bot gets the event `component.pressed`, when it is there. It may answer by editing the message, with a notice, or not at all.',
  by: 'person',
  access: { room: ['text'], right: 'read_text_room' },
  input: Type.Object({
    channelId: ChannelId,
    roomId: RoomId,
    messageId: { ...MessageId, description: 'A message of a bot' },
    ...chosen,
  }),
  output: created(Press),
})

export const pressInNotice = operation({
  at: 'POST /rooms/:roomId/notices/:noticeId/presses',
  summary: 'Press a button of a bot’s notice, or choose an option of a select',
  description:
    'Like a press of a message’s component. Notices are not stored, so the request repeats what the notice said, with its proof.',
  by: 'person',
  access: { room: ['text'], right: 'read_text_room' },
  input: Type.Object({
    channelId: ChannelId,
    roomId: RoomId,
    noticeId: NoticeId,
    botId: { ...BotId, description: 'The author of the notice' },
    components: { ...Components, description: 'Those of the notice' },
    proof: ComponentProof,
    ...chosen,
  }),
  output: created(Press),
})

export const componentPressed = eventKind({
  event: 'component.pressed',
  summary: 'Someone pressed a button or chose an option of a message or notice of the application',
  audience: 'bots',
  optIn: true,
  botsIn: 'text',
  forReaders: true,
  data: Type.Object({
    roomId: Id,
    messageId: Type.Optional({ ...Id, description: 'The message. Absent: it was in a notice' }),
    noticeId: Type.Optional({ ...Id, description: 'The notice. Absent: it was in a message' }),
    ...chosen,
    pressId: Id,
    user: Author,
  }),
})
