import type { RoomMessage, Speaker } from '@portico/contract'
import type { PortalEvent } from '#live/portal-event.ts'

export type MessageChange =
  | 'message.updated'
  | 'reaction.added'
  | 'reaction.removed'
  | 'message.pinned'
  | 'message.unpinned'

/** A member's name, picture or roles, or several of them. */
export type MemberUpdate = Partial<Speaker> & Pick<Speaker, 'id'>

type Reaction = RoomMessage['reactions'][number]

/** Which message an event changes, and how. Applying it twice changes nothing. */
export function changed(
  event: PortalEvent<MessageChange>,
  myId: string,
): { id: string; to: (message: RoomMessage) => RoomMessage } {
  switch (event.event) {
    case 'message.updated': {
      const { author: _, editedAt, streaming, ...edited } = event.data.message
      // What a bot has written to its end, or as far as it came, doesn't count as edited.
      const marks = streaming === 'interrupted' ? { streaming } : streaming ? {} : { editedAt }
      return { id: edited.id, to: (message) => ({ ...withoutOptional(message), ...edited, ...event.shown, ...marks }) }
    }
    case 'message.pinned':
    case 'message.unpinned': {
      const { messageId: id, pinnedAt } = event.data
      return { id, to: (message) => withPin(message, event.event === 'message.pinned' ? pinnedAt : undefined) }
    }
    default: {
      const { messageId: id, emoji, totalCount: count, user } = event.data
      const added = event.event === 'reaction.added'
      return {
        id,
        to: (message) => {
          const was = message.reactions.find((one) => one.emoji === emoji)
          return withReaction(message, { emoji, count, mine: user.id === myId ? added : (was?.mine ?? false) })
        },
      }
    }
  }
}

export function withReaction(message: RoomMessage, reaction: Reaction): RoomMessage {
  const known = message.reactions.some(({ emoji }) => emoji === reaction.emoji)
  const reactions = known
    ? message.reactions.map((one) => (one.emoji === reaction.emoji ? reaction : one))
    : [...message.reactions, reaction]
  return { ...message, reactions: reactions.filter(({ count }) => count > 0) }
}

/** Removes a deleted message from the reply that quotes it. */
export function withoutQuoted(message: RoomMessage, id: string): RoomMessage {
  return message.replyTo?.id === id ? { ...message, replyTo: { id, author: null, text: '' } } : message
}

/** Updates what is known of a member wherever a message shows them. */
export function withMember(message: RoomMessage, member: MemberUpdate): RoomMessage {
  const { author, replyTo, mentions } = message
  const isShown = [author, replyTo?.author, ...mentions].some((one) => one?.id === member.id)
  if (!isShown) return message
  const updated = <One extends { id: string }>(one: One): One => (one.id === member.id ? { ...one, ...member } : one)
  return {
    ...message,
    author: updated(author),
    mentions: mentions.map(updated),
    ...(replyTo?.author && { replyTo: { ...replyTo, author: updated(replyTo.author) } }),
  }
}

/** An edit may take back the mention of a group, remove cards and buttons, and complete what was interrupted. */
function withoutOptional(message: RoomMessage): RoomMessage {
  const {
    mentionedGroups: _,
    cards: _cards,
    cardMentions: _mentions,
    components: _components,
    streaming: _streaming,
    ...rest
  } = message
  return rest
}

function withPin(message: RoomMessage, pinnedAt: string | undefined): RoomMessage {
  const { pinnedAt: _, ...rest } = message
  return pinnedAt === undefined ? rest : { ...rest, pinnedAt }
}
