import type { MemberDetails, Room } from '@portico/contract'
import { bestMatches } from '#fuzzy-match.ts'
import { displayName } from '#members/display-name.ts'
import type { OfferedCommand } from '#commands/commands-query.ts'
import type { Emoji } from '#emoji/emoji-data.ts'
import { findEmoji } from '#emoji/find-emoji.ts'
import type { Token } from './find-token.ts'

/** A replacement for what is being typed. */
export type Suggestion = {
  readonly key: string
  /** The text shown. */
  readonly label: string
  /** The text inserted. */
  readonly written: string
} & (
  | { readonly kind: 'command'; readonly command: OfferedCommand }
  | { readonly kind: 'member'; readonly id: string; readonly member: MemberDetails }
  | { readonly kind: 'room'; readonly room: Room }
  | { readonly kind: 'emoji' }
)

export interface Sources {
  readonly commands: readonly OfferedCommand[]
  readonly members: readonly MemberDetails[]
  readonly rooms: readonly Room[]
  readonly emoji: readonly Emoji[]
}

const MAX_SUGGESTIONS = 12

export function suggestionsFor({ kind, typed }: Token, sources: Sources): Suggestion[] {
  return {
    command: commandOffers,
    member: memberOffers,
    room: roomOffers,
    emoji: emojiOffers,
  }[kind](typed, sources)
}

/** All of them in the order of declaration, so that the list doesn't reorder while typing. */
function commandOffers(typed: string, { commands }: Sources): Suggestion[] {
  const wanted = `/${typed}`.toLowerCase()
  return commands
    .filter(({ name }) => name.toLowerCase().startsWith(wanted))
    .map((command) => ({
      kind: 'command',
      key: `${command.bot.id} ${command.name}`,
      label: command.name,
      written: command.name,
      command,
    }))
}

function memberOffers(typed: string, { members }: Sources): Suggestion[] {
  return bestMatches(members, typed, displayName)
    .slice(0, MAX_SUGGESTIONS)
    .map((member) => {
      const label = displayName(member)
      return { kind: 'member', key: member.id, id: member.id, label, written: `@${label}`, member }
    })
}

function roomOffers(typed: string, { rooms }: Sources): Suggestion[] {
  return bestMatches(rooms, typed, ({ name }) => name)
    .slice(0, MAX_SUGGESTIONS)
    .map((room) => ({ kind: 'room', key: room.id, label: room.name, written: `#${room.name}`, room }))
}

function emojiOffers(typed: string, sources: Sources): Suggestion[] {
  return findEmoji(sources.emoji, typed.replaceAll('_', ' '))
    .slice(0, MAX_SUGGESTIONS)
    .map(({ emoji, names }) => ({ kind: 'emoji', key: emoji, label: names[0] ?? '', written: emoji }))
}
