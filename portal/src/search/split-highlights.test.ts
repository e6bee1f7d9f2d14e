import { expect, test } from 'vitest'
import { splitHighlights, type Highlight } from './split-highlights.ts'

const ADA = '0199d2f4-5b1e-7c44-a1d3-3a6f0c2e9b57'
const nameOf = (id: string) => (id === ADA ? 'Ada' : undefined)

function marked(parts: Highlight[]): string {
  return parts.map(({ part, found }) => (found ? `[${part}]` : part)).join('')
}

test('separates the matches from the rest', () => {
  const found = [
    { from: 0, to: 5 },
    { from: 10, to: 15 },
  ]
  expect(marked(splitHighlights('build the build again', found, nameOf))).toBe('[build] the [build] again')
})

test('shows mentions as names', () => {
  expect(marked(splitHighlights(`<@${ADA}> ships`, [{ from: 40, to: 45 }], nameOf))).toBe('@Ada [ships]')
})

test('starts a long text at a word shortly before the first match', () => {
  const text = `${'word '.repeat(100)}needle`
  const shown = marked(splitHighlights(text, [{ from: 500, to: 506 }], nameOf))
  expect(shown).toMatch(/^…(word ){12}\[needle\]$/)
})

test('leaves out Markdown syntax', () => {
  const shown = marked(splitHighlights('# Plan\n\n- **ship** `it`', [{ from: 12, to: 16 }], nameOf))
  expect(shown).toBe('Plan\n• [ship] it')
})

test('shows overlapping ranges once', () => {
  const found = [
    { from: 0, to: 4 },
    { from: 2, to: 6 },
  ]
  expect(marked(splitHighlights('abcdefgh', found, nameOf))).toBe('[abcd]efgh')
})

test('hides spoilers, also those in which something was found or with which a long text would start', () => {
  const found = [{ from: 13, to: 19 }]
  expect(marked(splitHighlights('It was ||the butler|| then', found, nameOf))).toBe('It was [▒▒▒] then')
  const text = `${'word '.repeat(20)}||${'secret '.repeat(20)}end|| needle`
  const at = text.indexOf('needle')
  expect(marked(splitHighlights(text, [{ from: at, to: at + 6 }], nameOf))).toBe('…▒▒▒ [needle]')
})
