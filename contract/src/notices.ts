import { Type, type Static } from 'typebox'
import { Cards, CARDS_LIMIT } from './cards.ts'
import { ComponentProof, Components } from './components.ts'
import { eventKind } from './event.ts'
import { ChannelId, NoticeId, RoomId, UserId } from './ids.ts'
import { MessageText } from './messages.ts'
import { created, operation } from './operation.ts'
import { CardMentions, Mentions, Speaker } from './room-message.ts'
import { Id, named, Timestamp } from './schema.ts'

export const showNotice = operation({
  at: 'POST /rooms/:roomId/notices',
  summary: 'Show something in a text room to one person only',
  description:
    'The portals that the person has open show it below the messages, until they dismiss it or reload the page. It isn’t stored, and nobody else learns of it. Nothing happens if the person has no portal open.',
  by: 'bot',
  scope: 'messages:write',
  quota: 'write',
  access: { room: ['text'], right: 'write_text_room' },
  refusals: ['notAMember', 'memberCannotRead'],
  input: Type.Object({
    channelId: { ...ChannelId, description: 'The channel that owns the room' },
    roomId: { ...RoomId, description: 'A text room' },
    userId: { ...UserId, description: 'A person who can read the room' },
    text: MessageText,
    cards: Type.Optional({ ...Cards, description: `Shown below the text. ${CARDS_LIMIT}` }),
    components: Type.Optional({ ...Components, description: 'Buttons and selects below the text and the cards' }),
    noticeId: Type.Optional({
      ...NoticeId,
      description:
        'Chosen by the bot: a notice of the bot with the same id is replaced, so that a repeated request shows it once. Absent: a new one',
    }),
  }),
  output: created(named('ShownNotice', Type.Object({ id: NoticeId }))),
})

export type Notice = Static<typeof Notice>
export const Notice = named(
  'Notice',
  Type.Object({
    id: NoticeId,
    text: Type.String({ description: 'Markdown, as it was sent' }),
    createdAt: Timestamp,
    author: Speaker,
    mentions: Mentions,
    cards: Type.Optional({ ...Cards, description: 'Absent if there are none' }),
    cardMentions: CardMentions,
    components: Type.Optional({ ...Components, description: 'Absent if there are none' }),
    proof: Type.Optional({ ...ComponentProof, description: 'With components: presses carry it' }),
  }),
)

export const noticeShown = eventKind({
  event: 'notice.shown',
  summary: 'A bot shows something to this person only',
  audience: 'portal',
  ephemeral: true,
  data: Type.Object({ roomId: Id, notice: Notice }),
})
