import { expect, test } from 'vitest'
import { partsOf, type Part } from './split-highlights.ts'

const ADA = '0199d2f4-5b1e-7c44-a1d3-3a6f0c2e9b57'
const nameOf = (id: string) => (id === ADA ? 'Ada' : undefined)

function marked(parts: Part[]): string {
  return parts.map(({ words, found }) => (found ? `[${words}]` : words)).join('')
}

test('what was found stands apart', () => {
  const found = [
    { from: 0, to: 5 },
    { from: 10, to: 15 },
  ]
  expect(marked(partsOf('build the build again', found, nameOf))).toBe('[build] the [build] again')
})

test('mentions are names', () => {
  expect(marked(partsOf(`<@${ADA}> ships`, [{ from: 40, to: 45 }], nameOf))).toBe('@Ada [ships]')
})

test('a long text begins with a word shortly before the first thing found', () => {
  const text = `${'word '.repeat(100)}needle`
  const shown = marked(partsOf(text, [{ from: 500, to: 506 }], nameOf))
  expect(shown).toMatch(/^…(word ){12}\[needle\]$/)
})

test('marks of Markdown are left out', () => {
  const shown = marked(partsOf('# Plan\n\n- **ship** `it`', [{ from: 12, to: 16 }], nameOf))
  expect(shown).toBe('Plan\n• [ship] it')
})

test('ranges that overlap are shown once', () => {
  const found = [
    { from: 0, to: 4 },
    { from: 2, to: 6 },
  ]
  expect(marked(partsOf('abcdefgh', found, nameOf))).toBe('[abcd]efgh')
})
