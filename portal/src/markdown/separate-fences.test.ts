import { expect, test } from 'vitest'
import { parseMarkdown } from './parse-markdown.ts'

const kinds = (text: string) => parseMarkdown(text).map(({ kind }) => kind)
const code = (text: string, language = '') => ({ kind: 'code', text, language })

test.each([
  ['behind a word', 'see ```\nlet a\n```', ['paragraph', code('let a')]],
  ['with the code behind the backticks', '```let a\nlet b```', [code('let a\nlet b')]],
  ['with a language', 'see ```ts\nlet a```', ['paragraph', code('let a', 'ts')]],
  ['with words behind it', '```\nlet a\n``` as they say', [code('let a'), 'paragraph']],
  ['twice', 'a ```\n1\n``` b ```\n2\n``` c', ['paragraph', code('1'), 'paragraph', code('2'), 'paragraph']],
  ['with an empty line in it', '```\na\n\nb\n```', [code('a\n\nb')]],
])('code is shown whole %s', (_, text, shown) => {
  const blocks = parseMarkdown(text)
  expect(blocks).toHaveLength(shown.length)
  for (const [index, block] of shown.entries()) {
    expect(blocks[index]).toEqual(typeof block === 'string' ? expect.objectContaining({ kind: block }) : block)
  }
})

test('leaves fences alone on one line, in a quote and in a list', () => {
  expect(kinds('see ```let a``` and ```let b```')).toEqual(['paragraph'])
  expect(parseMarkdown('> ```\n> let a\n> ```')).toEqual([{ kind: 'quote', blocks: [code('let a')] }])
  expect(parseMarkdown('- ```\n  let a\n  ```')).toMatchObject([{ kind: 'list', items: [[code('let a')]] }])
})
