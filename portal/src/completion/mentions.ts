import { mentionOf } from '@portico/contract/mentions'
import { isStrings, readStored, writeStored } from '#local-storage.ts'

/** How many names are remembered: those of drafts, and a few more. */
const MOST = 200
const CODE = /(```[\s\S]*?(?:```|$)|`[^`\n]*`)/

/**
 * Whom and what the names stand for that were chosen while writing on a channel: people see names, the text carries
 * ids of members and addresses of rooms.
 */
export function rememberName(channelId: string, sign: '@' | '#', name: string, id: string): void {
  const key = keyOf(channelId, name)
  const others = Object.entries(readStored(KEPT[sign], isStrings) ?? {}).filter(([known]) => known !== key)
  writeStored(KEPT[sign], Object.fromEntries([...others, [key, id] as const].slice(-MOST)))
}

/** The text as it is sent: names that were chosen become mentions and links. What stands in code stays as it is. */
export function withMentions(channelId: string, text: string): string {
  const rooms = namesOf(channelId, '#')
  const linked = rewrite(text, '#', rooms, (name, id) => `[#${name}](${location.origin}/c/${channelId}/${id})`)
  return nameToMention(linked, namesOf(channelId, '@'))
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
  // Not within a word, nor within a link that was written already.
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
