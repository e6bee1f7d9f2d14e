import { parseFileLink } from '#files/file-link.ts'
import { Marked, type MarkedToken, type Token, type Tokens } from 'marked'
import { separateFences } from './separate-fences.ts'
import { separateFiles } from './separate-files.ts'
import type { Block, Inline } from './nodes.ts'
import { safeUrl } from './safe-url.ts'
import { isSpoiler, spoiler, type SpoilerToken } from './spoiler.ts'

/** Deeper nesting is shown as it was typed. */
const DEEPEST = 10
const REMEMBERED = 400
const MENTION = /<@(&?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|everyone|here)>/gi

const marked = new Marked({ gfm: true, breaks: true })
// In a conversation these are mostly accidents: an indented line, dashes under a line, a bracket with a colon.
marked.use({
  extensions: [spoiler],
  tokenizer: {
    code: () => undefined,
    def: () => undefined,
    html: () => undefined,
    lheading: () => undefined,
    reflink: () => undefined,
  },
})

const read = new Map<string, readonly Block[]>()

/** Parses a text. Never fails: what can't be parsed is shown as it was typed. */
export function parseMarkdown(text: string): readonly Block[] {
  const known = read.get(text)
  if (known) return known
  const blocks = parse(text)
  read.set(text, blocks)
  for (const oldest of read.keys()) {
    if (read.size <= REMEMBERED) break
    read.delete(oldest)
  }
  return blocks
}

function parse(text: string): readonly Block[] {
  try {
    return blocksOf(marked.lexer(separateFences(text)), 0)
  } catch (error) {
    // Thousands of nested quotes exhaust the stack.
    if (error instanceof RangeError) return [{ kind: 'paragraph', inside: plain(text) }]
    throw error
  }
}

function blocksOf(tokens: readonly Token[], depth: number): Block[] {
  return tokens.flatMap((token): Block[] => {
    const block = blockOf(token as MarkedToken, depth)
    if (block?.kind === 'paragraph') return separateFiles(block.inside)
    return block ? [block] : []
  })
}

function blockOf(token: MarkedToken, depth: number): Block | undefined {
  if (token.type === 'space') return undefined
  if (depth > DEEPEST) return { kind: 'paragraph', inside: plain(token.raw) }
  switch (token.type) {
    case 'heading':
      return { kind: 'heading', inside: inlinesOf(token.tokens, depth) }
    case 'blockquote':
      return { kind: 'quote', blocks: blocksOf(token.tokens, depth + 1) }
    case 'list':
      return listOf(token, depth)
    case 'code':
      return { kind: 'code', text: token.text, language: token.lang?.split(/\s/)[0] ?? '' }
    case 'hr':
      return { kind: 'rule' }
    case 'table':
      return {
        kind: 'table',
        head: token.header.map(({ tokens }) => inlinesOf(tokens, depth)),
        rows: token.rows.map((row) => row.map(({ tokens }) => inlinesOf(tokens, depth))),
      }
    case 'paragraph':
    case 'text':
      return { kind: 'paragraph', inside: token.tokens ? inlinesOf(token.tokens, depth) : plain(token.raw) }
    default:
      return { kind: 'paragraph', inside: plain(token.raw) }
  }
}

function listOf({ ordered, start, items }: Tokens.List, depth: number): Block {
  return {
    kind: 'list',
    start: ordered && typeof start === 'number' ? start : undefined,
    items: items.map((item) => itemOf(item, depth + 1)),
  }
}

function itemOf({ tokens }: Tokens.ListItem, depth: number): Block[] {
  const [box, ...rest] = tokens
  if (box?.type !== 'checkbox') return blocksOf(tokens, depth)
  const [first, ...others] = blocksOf(rest, depth)
  const sign = inlinesOf([box], depth)
  return first?.kind === 'paragraph'
    ? [{ ...first, inside: [...sign, ...first.inside] }, ...others]
    : [{ kind: 'paragraph', inside: sign }, ...(first ? [first, ...others] : [])]
}

function inlinesOf(tokens: readonly Token[], depth: number): Inline[] {
  return tokens.flatMap((token) => (isSpoiler(token) ? spoilerOf(token, depth) : inlineOf(token as MarkedToken, depth)))
}

function spoilerOf({ raw, tokens }: SpoilerToken, depth: number): Inline[] {
  return depth > DEEPEST ? plain(raw) : [{ kind: 'spoiler', inside: inlinesOf(tokens, depth + 1) }]
}

function inlineOf(token: MarkedToken, depth: number): Inline[] {
  if (depth > DEEPEST) return plain(token.raw)
  switch (token.type) {
    case 'strong':
    case 'em':
    case 'del':
      return [{ kind: token.type, inside: inlinesOf(token.tokens, depth + 1) }]
    case 'codespan':
      return [{ kind: 'code', text: token.text }]
    case 'br':
      return [{ kind: 'break' }]
    case 'checkbox':
      return [{ kind: 'checkbox', checked: token.checked }]
    case 'escape':
      return plain(token.text)
    case 'link': {
      const file = parseFileLink(token.href, { label: token.text, image: false })
      if (file) return [{ kind: 'file', file }]
      const href = safeUrl(token.href)
      return href === undefined
        ? plain(token.raw)
        : [{ kind: 'link', href, inside: inlinesOf(token.tokens, depth + 1) }]
    }
    case 'image': {
      const file = parseFileLink(token.href, { label: token.text, image: true })
      if (file) return [{ kind: 'file', file }]
      // An image would tell a third-party host who reads it, so it becomes a link.
      const href = safeUrl(token.href)
      return href === undefined ? plain(token.raw) : [{ kind: 'link', href, inside: plain(token.text || href) }]
    }
    default:
      return plain(token.raw)
  }
}

function plain(text: string): Inline[] {
  const parts: Inline[] = []
  let end = 0
  for (const found of text.matchAll(MENTION)) {
    if (found.index > end) parts.push({ kind: 'text', text: text.slice(end, found.index) })
    parts.push({ kind: 'mention', target: (found[1] ?? '').toLowerCase(), text: found[0] })
    end = found.index + found[0].length
  }
  if (end < text.length) parts.push({ kind: 'text', text: text.slice(end) })
  return parts
}
