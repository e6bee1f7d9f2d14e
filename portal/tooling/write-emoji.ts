import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Makes src/emoji/emoji.json out of Unicode's data as the package emojibase-data (MIT) lays it out:
 * `npm pack emojibase-data`, unpack it, then `node tooling/write-emoji.ts <its folder>`. Run anew with a new Unicode.
 */
interface Entry {
  emoji: string
  label: string
  tags?: string[]
  group?: number
  order?: number
  hexcode: string
}

/** What the picker shows, in Unicode's order. The numbers are Unicode's groups; its second one has only parts of emoji. */
const GROUPS = [0, 1, 3, 4, 5, 6, 7, 8, 9]
const MOST_WORDS = 5

const folder = process.argv[2]
if (folder === undefined) throw new Error('Say where emojibase-data is unpacked')

async function read<T>(file: string): Promise<T> {
  return JSON.parse(await readFile(join(folder ?? '', file), 'utf8'))
}

const english = await read<Entry[]>('en/data.json')
const russian = new Map((await read<Entry[]>('ru/data.json')).map((entry) => [entry.hexcode, entry]))
const shortcodes = await read<Record<string, string | string[]>>('en/shortcodes/github.json')

/** The one spelling that Unicode recommends: the selector for colour only where there is none without it. */
function recommended(emoji: string): string {
  const bare = emoji.replaceAll('\u{fe0f}', '')
  return /^\p{RGI_Emoji}$/v.test(bare) ? bare : emoji
}

function wordsOf({ label, tags = [] }: Entry): string[] {
  const known = new Set(label.toLowerCase().split(/[^\p{L}\d]+/u))
  return tags.filter((tag) => !known.has(tag.toLowerCase())).slice(0, MOST_WORDS)
}

const rows = english
  .filter(({ group }) => group !== undefined && GROUPS.includes(group))
  .toSorted((a, b) => (a.order ?? 0) - (b.order ?? 0))
  .map((entry) => {
    const other = russian.get(entry.hexcode) ?? entry
    return [
      recommended(entry.emoji),
      GROUPS.indexOf(entry.group ?? 0),
      entry.label,
      other.label,
      [shortcodes[entry.hexcode] ?? []].flat().join(' '),
      [...wordsOf(entry), ...wordsOf(other)].join(','),
    ]
  })

await writeFile(
  join(import.meta.dirname, '../src/emoji/emoji.json'),
  `[\n${rows.map((row) => JSON.stringify(row)).join(',\n')}\n]\n`,
)
console.log(`${rows.length} emoji`)
