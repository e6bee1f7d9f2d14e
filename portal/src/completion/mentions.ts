import { GROUPS, mentionOf } from '@portico/contract/mentions'
import { isStrings, readStored, writeStored } from '#local-storage.ts'

/** How many names are stored: those in drafts, and a few more. */
const MAX_NAMES = 200
const CODE = /(```[\s\S]*?(?:```|$)|`[^`\n]*`)/

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
 * The text as it is sent: chosen names become mentions and links, except in code. So do `@everyone` and `@here`, for those who
 * may notify everyone.
 */
export function withMentions(channelId: string, text: string, mayMentionEveryone: boolean): string {
  const rooms = namesOf(channelId, '#')
  const linked = rewrite(text, '#', rooms, (name, id) => `[#${name}](${location.origin}/c/${channelId}/${id})`)
  const groups = mayMentionEveryone ? GROUPS.map((group) => [group, group] as const) : []
  return nameToMention(linked, new Map([...namesOf(channelId, '@'), ...groups]))
}

export function nameToMention(text: string, ids: ReadonlyMap<string, string>): string {
  return rewrite(text, '@', ids, (_, id) => mentionOf(id))
}

export function rewrite(
  text: string,
  sign: '@' | '#',
  ids: ReadonlyMap<string, string>,
  write: (name: string, id: string) => string,
): string {
  if (ids.size === 0) return text
  const longestFirst = [...ids.keys()].toSorted((a, b) => b.length - a.length).map(literally)
  // Not inside a word or an existing link.
  const named = new RegExp(`(?<![\\p{L}\\p{N}_[/])${sign}(${longestFirst.join('|')})(?!-?[\\p{L}\\p{N}_])`, 'gu')
  return text
    .split(CODE)
    .map((part, index) =>
      index % 2 === 1 ? part : part.replace(named, (_, name: string) => write(name, ids.get(name) ?? '')),
    )
    .join('')
}

const KEPT = { '@': 'mentioned', '#': 'linked' } as const

function namesOf(channelId: string, sign: '@' | '#'): ReadonlyMap<string, string> {
  const prefix = keyOf(channelId, '')
  return new Map(
    Object.entries(readStored(KEPT[sign], isStrings) ?? {})
      .filter(([key]) => key.startsWith(prefix))
      .map(([key, id]) => [key.slice(prefix.length), id]),
  )
}

function literally(name: string): string {
  return name.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
}

function keyOf(channelId: string, name: string): string {
  return `${channelId} ${name}`
}
