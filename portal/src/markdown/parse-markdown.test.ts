import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Block, Inline } from './nodes.ts'
import { isPlain } from './is-plain.ts'
import { parseMarkdown } from './parse-markdown.ts'
import { safeUrl } from './safe-url.ts'

const box = (checked: boolean): Inline => ({ kind: 'checkbox', checked })
const text = (words: string): Inline => ({ kind: 'text', text: words })
const paragraph = (...inside: Inline[]): Block => ({ kind: 'paragraph', inside })

test('parses bold, italic, strikethrough, code, links and line breaks', () => {
  expect(parseMarkdown('**a** *b* ~~c~~ `d`\n[e](https://e.example/x) f')).toEqual([
    paragraph(
      { kind: 'strong', inside: [text('a')] },
      text(' '),
      { kind: 'em', inside: [text('b')] },
      text(' '),
      { kind: 'del', inside: [text('c')] },
      text(' '),
      { kind: 'code', text: 'd' },
      { kind: 'break' },
      { kind: 'link', href: 'https://e.example/x', inside: [text('e')] },
      text(' f'),
    ),
  ])
})

test('parses lists, quotes, headings, tables and code blocks', () => {
  const blocks = parseMarkdown(
    '# Plan\n\n3. three\n4. four\n   - inner\n\n> said\n\n```ts\nlet a = 1\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |',
  )
  expect(blocks.map(({ kind }) => kind)).toEqual(['heading', 'list', 'quote', 'code', 'table'])
  expect(blocks[1]).toMatchObject({ start: 3, items: [[{}], [{}, { kind: 'list', start: undefined }]] })
  expect(blocks[3]).toEqual({ kind: 'code', text: 'let a = 1', language: 'ts' })
  expect(blocks[4]).toMatchObject({ head: [[text('a')], [text('b')]], rows: [[[text('1')], [text('2')]]] })
})

test('shows the check box of a task in front of its text', () => {
  const list = (...items: Block[][]): Block => ({ kind: 'list', start: undefined, items })
  expect(parseMarkdown('- [ ] bake\n- [x] eat\n- rest')).toEqual([
    list([paragraph(box(false), text('bake'))], [paragraph(box(true), text('eat'))], [paragraph(text('rest'))]),
  ])
  expect(parseMarkdown('- [x] one\n\n- [ ] two')).toEqual([
    list([paragraph(box(true), text('one'))], [paragraph(box(false), text('two'))]),
  ])
})

test('shows HTML as it was typed', () => {
  expect(parseMarkdown('<script>alert(1)</script>')).toEqual([
    paragraph(text('<script>'), text('alert(1)'), text('</script>')),
  ])
  expect(parseMarkdown('a <img src=x onerror=alert(1)> b')).toEqual([
    paragraph(text('a '), text('<img src=x onerror=alert(1)>'), text(' b')),
  ])
})

test('separates files from the text around them', () => {
  const file = (name: string, more: object = {}) => ({ id: '1', name, url: `/files/1/${name}`, ...more })
  expect(
    parseMarkdown('Look\n![cat.png](/files/1/cat.png)\n![dog.png](/files/1/dog.png) at\n[plan.pdf](/files/1/plan.pdf)'),
  ).toEqual([
    paragraph(text('Look')),
    { kind: 'files', files: [file('cat.png', { kind: 'picture' }), file('dog.png', { kind: 'picture' })] },
    paragraph(text('at')),
    { kind: 'files', files: [file('plan.pdf', { kind: 'other' })] },
  ])
  expect(parseMarkdown('See [the plan](/files/1/plan.pdf), **![x](/files/1/x.png)**')).toMatchObject([
    paragraph(
      text('See '),
      { kind: 'file', file: { ...file('plan.pdf'), kind: 'other', alt: 'the plan' } },
      text(', '),
      { kind: 'strong', inside: [{ kind: 'file', file: { ...file('x.png'), kind: 'picture', alt: 'x' } }] },
    ),
  ])
})

test('shows pictures only from this portal', () => {
  expect(parseMarkdown('![a cat](https://elsewhere.example/files/1/cat.png)')).toEqual([
    paragraph({ kind: 'link', href: 'https://elsewhere.example/files/1/cat.png', inside: [text('a cat')] }),
  ])
})

test('finds mentions', () => {
  const id = '0199d2f4-5b1e-7c44-a1d3-3a6f0c2e9b57'
  expect(parseMarkdown(`Ask <@${id}>, **<@${id.toUpperCase()}>**`)).toEqual([
    paragraph(text('Ask '), { kind: 'mention', target: id, text: `<@${id}>` }, text(', '), {
      kind: 'strong',
      inside: [{ kind: 'mention', target: id, text: `<@${id.toUpperCase()}>` }],
    }),
  ])
})

test('finds mentions of roles and of everyone, except in code', () => {
  const target = '&0199d2f4-5b1e-7c44-a1d3-3a6f0c2e9b57'
  expect(parseMarkdown(`<@${target}> <@everyone> \`<@here>\``)).toEqual([
    paragraph(
      { kind: 'mention', target, text: `<@${target}>` },
      text(' '),
      { kind: 'mention', target: 'everyone', text: '<@everyone>' },
      text(' '),
      { kind: 'code', text: '<@here>' },
    ),
  ])
})

test('finds spoilers, with what is formatted in them', () => {
  expect(parseMarkdown('It was ||the **butler**|| or not')).toEqual([
    paragraph(
      text('It was '),
      { kind: 'spoiler', inside: [text('the '), { kind: 'strong', inside: [text('butler')] }] },
      text(' or not'),
    ),
  ])
  for (const written of ['a || b || c', 'a||', '||||', '`||a||`'])
    expect(JSON.stringify(parseMarkdown(written))).not.toContain('spoiler')
})

test.each([
  ['an indented line', '    four spaces'],
  ['dashes under a line', 'Total\n-----'],
  ['a bracket with a colon', '[note]: https://a.example'],
])('does not take %s for more than it is', (_, written) => {
  expect(parseMarkdown(written)[0]).toMatchObject({ kind: 'paragraph' })
  expect(typedIn(parseMarkdown(written)).trim()).not.toBe('')
})

test.each([
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'java\nscript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:msgbox',
  'file:///etc/passwd',
  'blob:https://a.example/1',
  '//a.example/x',
  '/c/channel',
  '',
])('follows no address like %j', (address) => {
  expect(safeUrl(address)).toBeUndefined()
})

test.each(['https://a.example/ü', 'http://localhost:3000/x', 'mailto:ada@a.example'])(
  'accepts the URL %j',
  (address) => {
    expect(safeUrl(address)).toBe(new URL(address).href)
  },
)

test('never links to an unsafe URL', () => {
  const schemes = [
    'javascript:',
    'data:text/html,',
    'https://a.example',
    'JAVASCRIPT&colon;',
    'vbscript:',
    '//x',
    '\u0000javascript:',
  ]
  const piece = fc.oneof(
    fc.constantFrom(...schemes, '[', ']', '(', ')', '<', '>', '!', '*', '_', '`', '\n', '> ', '- ', '1. ', '|', '\\'),
    fc.string({ unit: 'grapheme', maxLength: 6 }),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      for (const href of linksIn(parseMarkdown(pieces.join('')))) expect(href).toMatch(/^(https?|mailto):/)
    }),
    { numRuns: 400 },
  )
})

test.each(
  [
    '[',
    '*',
    '_',
    '>',
    '- ',
    '1. ',
    '`',
    '![a](',
    '[a](',
    '~~',
    '<',
    '<a ',
    '|a',
    '#',
    '\\',
    '\n',
    'www.',
    'a@',
    '||',
    '||a ',
    '*_',
    '**a *b ',
  ].map((piece) => [piece, piece.repeat(Math.floor(4000 / piece.length))] as const),
)('reads 4000 characters of %j', (_, hostile) => {
  const blocks = parseMarkdown(hostile)
  expect(depthOf(blocks)).toBeLessThan(25)
})

test('tells plain text from possible Markdown', () => {
  for (const words of ['Good morning', 'Привет, как дела?', 'a - b, 3.5 (x)', 'two\nlines']) {
    expect(isPlain(words)).toBe(true)
    expect(typedIn(parseMarkdown(words))).toBe(words)
  }
  for (const words of ['**a**', '- a', 'x\n1. a', 'https://a.example', 'www.a.example', '<@', 'a@b.example']) {
    expect(isPlain(words)).toBe(false)
  }
})

function typedIn(blocks: readonly Block[]): string {
  return blocks.map((block) => ('inside' in block ? block.inside.map(wordsOf).join('') : '')).join('')
}

function wordsOf(part: Inline): string {
  if (part.kind === 'break') return '\n'
  if (part.kind === 'file') return part.file.name
  if (part.kind === 'checkbox') return ''
  return 'inside' in part ? part.inside.map(wordsOf).join('') : part.text
}

function* linksIn(parts: readonly (Block | Inline)[]): Generator<string> {
  for (const part of parts) {
    if (part.kind === 'link') yield part.href
    if ('inside' in part) yield* linksIn(part.inside)
    if ('blocks' in part) yield* linksIn(part.blocks)
    if ('items' in part) for (const item of part.items) yield* linksIn(item)
    if ('rows' in part) for (const cell of [...part.head, ...part.rows.flat()]) yield* linksIn(cell)
  }
}

function depthOf(parts: readonly (Block | Inline)[]): number {
  const inner = parts.map((part) => {
    if ('inside' in part) return depthOf(part.inside)
    if ('blocks' in part) return depthOf(part.blocks)
    return 'items' in part ? Math.max(0, ...part.items.map(depthOf)) : 0
  })
  return 1 + Math.max(0, ...inner)
}
