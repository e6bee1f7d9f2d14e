import { mentionOf } from '@portico/contract/mentions'
import { isStrings, readStored, writeStored } from '#storage/local-storage.ts'

/** What names and codes in a text stand for, by their spelling in lower case. */
export interface Names {
  readonly members: ReadonlyMap<string, Named>
  readonly rooms: ReadonlyMap<string, Named>
  /** Emoji by their shortcodes, without colons. */
  readonly emoji: ReadonlyMap<string, string>
}

export interface Named {
  readonly id: string
  readonly name: string
}

export const NO_NAMES: Names = { members: new Map(), rooms: new Map(), emoji: new Map() }

/** How many names are stored: those in drafts, and a few more. */
const MAX_NAMES = 200
const SAMPLE_ID = '00000000-0000-0000-0000-000000000000'
/** Code, and links such as those to files. */
const AS_TYPED = /(```[\s\S]*?(?:```|$)|`[^`\n]*`|!?\[[^\]\n]*\]\([^)\s]*\))/
const EMOJI_CODE = /(?<![\p{L}\p{N}_/]):([\p{L}\p{N}_+-]{2,64}):/gu

/**
 * Maps the names that were chosen while writing in a channel to ids: people see names, messages contain ids of members
 * and URLs of rooms.
 */
export function rememberName(channelId: string, sign: '@' | '#', name: string, id: string): void {
  const key = keyOf(channelId, name)
  const others = Object.entries(readStored(KEPT[sign], isStrings) ?? {}).filter(([known]) => known !== key)
  writeStored(KEPT[sign], Object.fromEntries([...others, [key, id] as const].slice(-MAX_NAMES)))
}

/**
 * The text as it is sent: names become mentions and links, and codes emoji, except in code and links. Of two members with the same
 * name, the one that was chosen from the list is meant.
 */
export function withMentions(channelId: string, text: string, found: Names): string {
  const { members, rooms } = withChosen(channelId, found)
  const linked = rewrite(withEmoji(text, found.emoji), '#', rooms, ({ id, name }) => {
    return `[#${name}](${roomUrl(channelId, id)})`
  })
  return rewrite(linked, '@', members, ({ id }) => mentionOf(id))
}

/** How long a text can become when it is sent, in code points, whatever its names mean. */
export function longestToSend(text: string): number {
  const grows = { '@': mentionOf(`&${SAMPLE_ID}`).length, '#': `[#](${roomUrl(SAMPLE_ID, SAMPLE_ID)})`.length }
  const growth = Array.from(text.matchAll(/[@#]/g), ([sign]) => (sign === '@' ? grows['@'] : grows['#']))
  return growth.reduce((sum, more) => sum + more, [...text].length)
}

/** The members whom a text mentions and the rooms that it links to when it is sent, each once. */
export function meantBy(channelId: string, text: string, found: Names): Record<'members' | 'rooms', Named[]> {
  const { members, rooms } = withChosen(channelId, found)
  return { members: namedIn(text, '@', members), rooms: namedIn(text, '#', rooms) }
}

function namedIn(text: string, sign: '@' | '#', names: ReadonlyMap<string, Named>): Named[] {
  const met = new Map<string, Named>()
  rewrite(text, sign, names, (named) => {
    met.set(named.id, named)
    return ''
  })
  return [...met.values()]
}

export function nameToMention(text: string, ids: ReadonlyMap<string, string>): string {
  return rewrite(text, '@', byName([...ids].map(([name, id]) => ({ id, name }))), ({ id }) => mentionOf(id))
}

export function withEmoji(text: string, emoji: ReadonlyMap<string, string>): string {
  return outsideCode(text, (part) =>
    part.replace(EMOJI_CODE, (written, code: string) => emoji.get(code.toLowerCase()) ?? written),
  )
}

export function rewrite(
  text: string,
  sign: '@' | '#',
  names: ReadonlyMap<string, Named>,
  write: (named: Named) => string,
): string {
  if (names.size === 0) return text
  const longestFirst = [...names.keys()].toSorted((a, b) => b.length - a.length).map(literally)
  // Not inside a word or an existing link.
  const named = new RegExp(`(?<![\\p{L}\\p{N}_[/])${sign}(${longestFirst.join('|')})(?!-?[\\p{L}\\p{N}_])`, 'giu')
  return outsideCode(text, (part) =>
    part.replace(named, (written, name: string) => {
      const meant = names.get(name.toLowerCase())
      return meant ? write(meant) : written
    }),
  )
}

export function byName(list: readonly Named[]): Map<string, Named> {
  return new Map(list.map((named) => [named.name.toLowerCase(), named]))
}

/** The text with each part replaced that is neither code nor a link. */
export function outsideCode(text: string, replace: (part: string) => string): string {
  return text
    .split(AS_TYPED)
    .map((part, index) => (index % 2 === 1 ? part : replace(part)))
    .join('')
}

const KEPT = { '@': 'mentioned', '#': 'linked' } as const

function withChosen(channelId: string, found: Names): Pick<Names, 'members' | 'rooms'> {
  return {
    members: new Map([...chosenNames(channelId, '@'), ...found.members]),
    rooms: new Map([...chosenNames(channelId, '#'), ...found.rooms]),
  }
}

function chosenNames(channelId: string, sign: '@' | '#'): ReadonlyMap<string, Named> {
  const prefix = keyOf(channelId, '')
  const chosen = Object.entries(readStored(KEPT[sign], isStrings) ?? {}).filter(([key]) => key.startsWith(prefix))
  return byName(chosen.map(([key, id]) => ({ id, name: key.slice(prefix.length) })))
}

function roomUrl(channelId: string, roomId: string): string {
  return `${location.origin}/c/${channelId}/${roomId}`
}

function literally(name: string): string {
  return name.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
}

function keyOf(channelId: string, name: string): string {
  return `${channelId} ${name}`
}
