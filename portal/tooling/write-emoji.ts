import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Generates src/emoji/emoji.json from the package emojibase-data (MIT): `npm pack emojibase-data`, unpack it, then
 * `node tooling/write-emoji.ts <folder>`. Run it again for a new version of Unicode.
 */
interface Entry {
  emoji: string
  label: string
  tags?: string[]
  group?: number
  order?: number
  hexcode: string
}

/** Unicode's groups in the order of the picker, without group 2, which contains only components. */
const GROUPS = [0, 1, 3, 4, 5, 6, 7, 8, 9]
const MAX_KEYWORDS = 5

const folder = process.argv[2]
if (folder === undefined) throw new Error('Usage: node tooling/write-emoji.ts <folder of emojibase-data>')

async function read<T>(file: string): Promise<T> {
  return JSON.parse(await readFile(join(folder ?? '', file), 'utf8'))
}

const english = await read<Entry[]>('en/data.json')
const russian = new Map((await read<Entry[]>('ru/data.json')).map((entry) => [entry.hexcode, entry]))
const shortcodes = await read<Record<string, string | string[]>>('en/shortcodes/github.json')

/** The sequence that Unicode recommends: with a variation selector only if it is required. */
function recommended(emoji: string): string {
  const bare = emoji.replaceAll('\u{fe0f}', '')
  return /^\p{RGI_Emoji}$/v.test(bare) ? bare : emoji
}

function keywordsOf({ label, tags = [] }: Entry): string[] {
  const known = new Set(label.toLowerCase().split(/[^\p{L}\d]+/u))
  return tags.filter((tag) => !known.has(tag.toLowerCase())).slice(0, MAX_KEYWORDS)
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
      [...keywordsOf(entry), ...keywordsOf(other)].join(','),
    ]
  })

await writeFile(
  join(import.meta.dirname, '../src/emoji/emoji.json'),
  `[\n${rows.map((row) => JSON.stringify(row)).join(',\n')}\n]\n`,
)
console.log(`${rows.length} emoji`)
