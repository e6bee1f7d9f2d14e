import type { Author, Message } from '@portico/contract'

/** A message as a row of the conversation shows it. */
export interface RoomMessage {
  readonly id: string
  readonly text: string
  readonly createdAt: string
  readonly editedAt?: string
  readonly pinnedAt?: string
  readonly author: Speaker
  readonly replyTo?: QuotedMessage
  readonly mentions: readonly NamedMember[]
  readonly reactions: readonly { readonly emoji: string; readonly count: number; readonly mine: boolean }[]
}

export interface NamedMember extends Author {
  readonly channelNickname: string | null
}

export interface Speaker extends NamedMember {
  readonly isBot: boolean
}

export interface QuotedMessage {
  readonly id: string
  readonly author: NamedMember | null
  readonly text: string
}

export function nameOf({ name, channelNickname }: NamedMember): string {
  return channelNickname ?? name
}

export function asRoomMessage({ replyToId, author, reactions = [], ...message }: Message): RoomMessage {
  return {
    ...message,
    author: { ...author, channelNickname: null, isBot: false },
    mentions: [],
    reactions,
    ...(replyToId !== undefined && { replyTo: { id: replyToId, author: null, text: '' } }),
  }
}
