import type { MemberDetails, RoleColor, Room } from '@portico/contract'
import { bestMatches } from './fuzzy-match.ts'
import { displayName } from '#members/display-name.ts'
import type { OfferedCommand } from '#commands/commands-query.ts'
import type { Emoji } from '#emoji/emoji-data.ts'
import { findEmoji } from '#emoji/find-emoji.ts'
import { chosenSkinTone, withSkinTone } from '#emoji/skin-tone.ts'
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
  | { readonly kind: 'member'; readonly id: string; readonly member: OfferedMember }
  | { readonly kind: 'group'; readonly target: string; readonly color: RoleColor | undefined }
  | { readonly kind: 'room'; readonly room: Room }
  | { readonly kind: 'emoji' }
  | { readonly kind: 'choice' }
)

/** A member, and in a private room whether they can see it. */
export type OfferedMember = MemberDetails & { readonly seesRoom?: boolean }

export interface Sources {
  readonly commands: readonly OfferedCommand[]
  readonly members: readonly OfferedMember[]
  /** The groups that the account may mention, with what stands between `<@` and `>`. */
  readonly groups: readonly { readonly name: string; readonly target: string; readonly color?: RoleColor }[]
  readonly rooms: readonly Room[]
  readonly emoji: readonly Emoji[]
  /** The roles of the channel, for an option of a command. */
  readonly roles?: Sources['groups']
  /** Those of an option of a command. */
  readonly choices?: readonly { readonly value: string; readonly label?: string }[]
  /** For choices that a bot suggests, which may be whole sentences and fit already. */
  readonly quote?: (value: string) => string
}

const MAX_SUGGESTIONS = 12
const MAX_GROUPS = 6

export function suggestionsFor({ kind, typed }: Token, sources: Sources): Suggestion[] {
  return {
    command: commandOffers,
    member: memberOffers,
    room: roomOffers,
    emoji: emojiOffers,
    role: roleOffers,
    choice: choiceOffers,
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

/**
 * People come first: a group is mentioned rarely, and should not be chosen by accident. A nickname hides the account name,
 * which still finds its owner. Those who can't see a private room come after those who can.
 */
function memberOffers(typed: string, { members, groups }: Sources): Suggestion[] {
  const found = bestMatches(members, typed, displayName, ({ name }) => name)
  const sorted = found.toSorted((a, b) => Number(a.seesRoom === false) - Number(b.seesRoom === false))
  const people = sorted.map((member): Suggestion => {
    const label = displayName(member)
    return { kind: 'member', key: member.id, id: member.id, label, written: `@${label}`, member }
  })
  return [...people.slice(0, MAX_SUGGESTIONS), ...groupOffers(typed, groups).slice(0, MAX_GROUPS)]
}

function groupOffers(typed: string, groups: Sources['groups']): Suggestion[] {
  return bestMatches(groups, typed, ({ name }) => name).map(({ name, target, color }): Suggestion => {
    return { kind: 'group', key: target, target, color, label: name, written: `@${name}` }
  })
}

function roleOffers(typed: string, { roles = [] }: Sources): Suggestion[] {
  return groupOffers(typed, roles).slice(0, MAX_SUGGESTIONS)
}

/** All of them in the order of declaration, as commands are. */
function choiceOffers(typed: string, { choices = [], quote }: Sources): Suggestion[] {
  if (quote)
    return choices.map(({ value, label = value }, at) => ({
      kind: 'choice',
      key: `${at} ${value}`,
      label,
      written: quote(value),
    }))
  const wanted = typed.toLowerCase()
  return choices
    .filter(({ value, label = '' }) => [value, label].some((each) => each.toLowerCase().startsWith(wanted)))
    .map(({ value, label = value }) => ({ kind: 'choice', key: value, label, written: value }))
}

function roomOffers(typed: string, { rooms }: Sources): Suggestion[] {
  return bestMatches(rooms, typed, ({ name }) => name)
    .slice(0, MAX_SUGGESTIONS)
    .map((room) => ({ kind: 'room', key: room.id, label: room.name, written: `#${room.name}`, room }))
}

function emojiOffers(typed: string, sources: Sources): Suggestion[] {
  const tone = chosenSkinTone()
  return findEmoji(sources.emoji, typed.replaceAll('_', ' '))
    .slice(0, MAX_SUGGESTIONS)
    .map(({ emoji, names }) => ({
      kind: 'emoji',
      key: emoji,
      label: names[0] ?? '',
      written: withSkinTone(emoji, tone),
    }))
}
