import fc from 'fast-check'
import { expect, test } from 'vitest'
import { highlight } from './highlight.ts'

/** The kinds of the colored parts, with their text. */
function colors(code: string, language: string): string[] {
  return highlight(code, language).flatMap(({ kind, text }) => (kind ? [`${kind} ${text}`] : []))
}

test.each([
  [
    'ts',
    "const a = `x` // done\nreturn 'b' + 0x1f",
    ['keyword const', 'string `x`', 'comment // done', 'keyword return', "string 'b'", 'number 0x1f'],
  ],
  ['js', '/* a\n * b */ if', ['comment /* a\n * b */', 'keyword if']],
  ['python', 'def f():\n  """doc"""  # note', ['keyword def', 'string """doc"""', 'comment # note']],
  ['sql', 'SELECT 1 -- one', ['keyword SELECT', 'number 1', 'comment -- one']],
  ['json', '{"a": "b", "c": true}', ['name "a"', 'string "b"', 'name "c"', 'keyword true']],
  ['html', '<a href="x">', ['keyword <a', 'name href', 'string "x"', 'keyword >']],
  ['diff', '+new\n-old\n same', ['added +new', 'removed -old']],
  ['TypeScript', 'let iffy', ['keyword let']],
  ['klingon', 'const a = 1', []],
  ['', 'const a = 1', []],
])('in %s, %j has the colored parts %j', (language, code, parts) => {
  expect(colors(code, language)).toEqual(parts)
})

const LANGUAGES = ['ts', 'python', 'sql', 'json', 'css', 'html', 'diff']

test('never changes the code', () => {
  const pieces = fc.oneof(
    fc.constantFrom(
      '"',
      "'",
      '`',
      '/*',
      '*/',
      '//',
      '#',
      '--',
      '<',
      '>',
      '\\',
      '\n',
      '"""',
      '<!--',
      'const ',
      '0x',
      '1e',
      ':',
      '@',
      '+',
      '-',
    ),
    fc.string({ unit: 'grapheme', maxLength: 5 }),
  )
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 60 }), fc.constantFrom(...LANGUAGES), (written, language) => {
      const code = written.join('')
      expect(
        highlight(code, language)
          .map(({ text }) => text)
          .join(''),
      ).toBe(code)
    }),
    { numRuns: 500 },
  )
})

test.each(['"', "'", '`', '/*', '*', '<!--', '#', '\\', '"""', '/*a', '-- ', '<a ', '0', 'a:'])(
  'reads 8,000 characters of %j, and shows more without colors',
  (piece) => {
    const hostile = piece.repeat(Math.ceil(8000 / piece.length)).slice(0, 8000)
    for (const language of LANGUAGES) expect(highlight(hostile, language).length).toBeGreaterThan(0)
    expect(highlight(hostile + piece, 'ts')).toEqual([{ text: hostile + piece }])
  },
)
