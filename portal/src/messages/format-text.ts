import type { Composing } from '#completion/composing.svelte.ts'

/** Marks on both sides of a text. */
const MARKS = { bold: '**', italic: '*', strike: '~~', code: '`', spoiler: '||' } as const
/** What each line begins with. */
const LINES = { quote: '> ', list: '- ' } as const

export type Format = keyof typeof MARKS | keyof typeof LINES | 'codeBlock'

export const FORMATS: readonly Format[] = ['bold', 'italic', 'strike', 'code', 'codeBlock', 'quote', 'list', 'spoiler']

export function isFormat(action: string | undefined): action is Format {
  return FORMATS.some((format) => format === action)
}

/** Formats the selected text, or removes the format if it has it. */
export async function formatText(composing: Composing, format: Format): Promise<void> {
  if (format in MARKS) await composing.wrap(MARKS[format as keyof typeof MARKS])
  else if (format in LINES) await prefixLines(composing, LINES[format as keyof typeof LINES])
  else await fence(composing)
}

async function prefixLines(composing: Composing, prefix: string): Promise<void> {
  const { text, selection } = composing
  const from = text.lastIndexOf('\n', selection.from - 1) + 1
  const end = text.indexOf('\n', selection.to)
  const to = end < 0 ? text.length : end
  const lines = text.slice(from, to).split('\n')
  const has = lines.every((line) => line.startsWith(prefix))
  const written = lines.map((line) => (has ? line.slice(prefix.length) : prefix + line)).join('\n')
  await composing.replace(from, to, written)
}

/** Puts the selection into a code block on lines of its own, with the caret inside. */
async function fence(composing: Composing): Promise<void> {
  const { text, selection } = composing
  const { from, to } = selection
  const before = from === 0 || text[from - 1] === '\n' ? '' : '\n'
  const after = to === text.length || text[to] === '\n' ? '' : '\n'
  const opening = `${before}\`\`\`\n`
  await composing.replace(from, to, `${opening}${text.slice(from, to)}\n\`\`\`${after}`)
  composing.select(from + opening.length, to + opening.length)
}
