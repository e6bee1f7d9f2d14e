import { mentionOf } from '@portico/contract/mentions'
import { isStrings, recall, remember } from '#remembered.ts'

/** How many names are remembered: those of drafts, and a few more. */
const MOST = 200
const CODE = /(```[\s\S]*?(?:```|$)|`[^`\n]*`)/

/** Whom the names stand for that were chosen while writing on a channel: people see names, the text carries ids. */
export function rememberName(channelId: string, name: string, accountId: string): void {
  const known = Object.entries(recall('mentioned', isStrings) ?? {}).filter(([key]) => key !== keyOf(channelId, name))
  remember('mentioned', Object.fromEntries([...known, [keyOf(channelId, name), accountId] as const].slice(-MOST)))
}

/** The text as it is sent: names that were chosen become mentions. What stands in code stays as it is. */
export function withMentions(channelId: string, text: string): string {
  const prefix = keyOf(channelId, '')
  const names = new Map(
    Object.entries(recall('mentioned', isStrings) ?? {})
      .filter(([key]) => key.startsWith(prefix))
      .map(([key, id]) => [key.slice(prefix.length), id]),
  )
  return nameToMention(text, names)
}

export function nameToMention(text: string, ids: ReadonlyMap<string, string>): string {
  if (ids.size === 0) return text
  const longestFirst = [...ids.keys()].toSorted((a, b) => b.length - a.length).map(literally)
  const named = new RegExp(`(?<![\\p{L}\\p{N}_])@(${longestFirst.join('|')})(?![\\p{L}\\p{N}_])`, 'gu')
  return text
    .split(CODE)
    .map((part, index) =>
      index % 2 === 1 ? part : part.replace(named, (_, name: string) => mentionOf(ids.get(name) ?? '')),
    )
    .join('')
}

function literally(name: string): string {
  return name.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
}

function keyOf(channelId: string, name: string): string {
  return `${channelId} ${name}`
}
