import { Type, type Static } from 'typebox'
import { Avatar, AvatarVersion } from './accounts.ts'
import { Cards } from './cards.ts'
import { Components } from './components.ts'
import { MessageId, UserId } from './ids.ts'
import { Count, Id, named, Nullable, OneOf, Timestamp } from './schema.ts'

const Name = Type.String({ examples: ['Ada Novak'] })
const Nickname = Nullable(
  Type.String({ description: 'The nickname in the channel; null if `name` is shown', examples: ['Ada'] }),
)

const RoleIds = Type.Optional(Type.Array(Id, { description: 'Their roles in the channel; none for someone who left' }))

/** A person or bot whose name is shown inside something else. */
export type NamedMember = Static<typeof NamedMember>
export const NamedMember = named('NamedMember', Type.Object({ id: UserId, name: Name, channelNickname: Nickname }))

/** The author of a message as a row of the conversation shows them. */
export type Speaker = Static<typeof Speaker>
export const Speaker = named(
  'Speaker',
  Type.Object({
    id: UserId,
    name: Name,
    channelNickname: Nickname,
    avatar: Avatar,
    avatarVersion: AvatarVersion,
    isBot: Type.Boolean(),
    roleIds: RoleIds,
  }),
)

export type QuotedMessage = Static<typeof QuotedMessage>
export const QuotedMessage = named(
  'QuotedMessage',
  Type.Object(
    {
      id: MessageId,
      author: Nullable(
        Type.Object(
          { ...NamedMember.properties, isBot: Type.Optional(Type.Boolean()), roleIds: RoleIds },
          { description: 'Null if the message was deleted' },
        ),
      ),
      text: Type.String({ description: 'The beginning, with names instead of mentions; empty if deleted' }),
    },
    { description: 'A one-line preview of the message replied to' },
  ),
)

export const ReactionCount = named(
  'ReactionCount',
  Type.Object({ emoji: Type.String(), count: Count, mine: Type.Boolean() }),
)

/** What is needed to render the text of a message. */
export const Mentions = Type.Array(NamedMember, {
  description: 'The members mentioned by `<@id>` and the roles mentioned by `<@&id>` in the text',
})
export const MentionedGroups = Type.Optional(
  Type.Array(Type.String(), {
    description: 'The groups that the message notified: `everyone`, `here` and ids of roles. Absent if none',
  }),
)
/** Apart from the others, because they notify no one. */
export const CardMentions = Type.Optional(
  Type.Array(NamedMember, { description: 'The members and roles mentioned in the cards. Absent if there are none' }),
)

export type StreamingState = Static<typeof StreamingState>
export const StreamingState = OneOf(['writing', 'interrupted'], {
  description: 'A bot is writing the text, or never came to its end. Absent if the text is complete',
  examples: ['writing'],
})

/** A message with everything that a row of the conversation shows; no further request is needed. */
export type RoomMessage = Static<typeof RoomMessage>
export const RoomMessage = named(
  'RoomMessage',
  Type.Object({
    id: MessageId,
    text: Type.String({ description: 'Markdown, as it was sent' }),
    createdAt: Timestamp,
    editedAt: Type.Optional({ ...Timestamp, description: 'Absent if never edited' }),
    pinnedAt: Type.Optional({ ...Timestamp, description: 'Absent if not pinned' }),
    author: Speaker,
    replyTo: Type.Optional(QuotedMessage),
    mentions: Mentions,
    mentionedGroups: MentionedGroups,
    cards: Type.Optional({ ...Cards, description: 'Absent if there are none' }),
    cardMentions: CardMentions,
    components: Type.Optional({ ...Components, description: 'Absent if there are none' }),
    streaming: Type.Optional(StreamingState),
    reactions: Type.Array(ReactionCount),
  }),
)

/** How much of a message is quoted, in code points. */
export const QUOTED_LENGTH = 160
