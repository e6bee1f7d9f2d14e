import { describe, expect, test } from 'vitest'
import type { Block, Inline } from '../../../portal/src/markdown/nodes.ts'
import { parseMarkdown } from '../../../portal/src/markdown/parse-markdown.ts'
import { escapeMarkdown, mention, mentionRole } from '../index.ts'

const ADA = '01a05bfb-6e04-7f18-a3b7-92c1e50d8f46'

/** How the portal shows a message; undefined if something in it is more than text. */
function shown(text: string): string | undefined {
  const plain = (inside: readonly Inline[]): string | undefined => {
    const parts = inside.map((each) => (each.kind === 'text' ? each.text : each.kind === 'break' ? '\n' : undefined))
    return parts.includes(undefined) ? undefined : parts.join('')
  }
  const blocks = parseMarkdown(text).map((block: Block) =>
    block.kind === 'paragraph' ? plain(block.inside) : undefined,
  )
  return blocks.includes(undefined) ? undefined : blocks.join('\n\n')
}

describe('escapeMarkdown', () => {
  test.each([
    '**bold** __bold__ *slanted* _slanted_ ~~struck~~ ~struck~ ||hidden||',
    '`code` ``more`` ```block```',
    '```js\nblock\n```',
    '~~~\nblock\n~~~',
    '[label](https://example.com) ![picture](/files/1/a.png) [x]',
    'https://example.com/a_b_c?d=e www.example.com WWW.example.com ada@example.com <https://example.com>',
    `<@${ADA}> <@&${ADA}> <@everyone> @Ada`,
    '# heading',
    '> quote',
    '- item',
    '+ item\n* item\n- [ ] task',
    '1. item\n2) item\n10. item',
    '---\n***\n___\n===',
    'a\n---\nb\n===',
    '| a | b |\n|---|---|\n| 1 | 2 |',
    'my_service_name, 2 * 3 * 4, a_b c_d, \\* C:\\Users &amp; <b>',
    'one\n\n# two\n\n> three',
    'Обычный *текст* с_подчёркиванием_ и #решёткой',
  ])('makes the portal show %j as it is', (text) => {
    expect(shown(text)).not.toBe(text)
    expect(shown(escapeMarkdown(text))).toBe(text)
  })

  test('leaves words and sentences as they are', () => {
    for (const text of ['Ada Novak', 'my_service 1.2-rc (staging)', 'It’s 5 > 3, isn’t it?', 'Сборка №5: готово!'])
      expect(escapeMarkdown(text)).toBe(text)
  })

  test('stands any mix of signs', () => {
    const signs = [
      '*',
      '_',
      '`',
      '~',
      '|',
      '[',
      ']',
      '(',
      ')',
      '<',
      '>',
      '@',
      '#',
      '-',
      '+',
      '.',
      '\\',
      '!',
      ':',
      '/',
      '1',
      'a',
      ' a',
    ]
    let seed = 7
    const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below
    for (let round = 0; round < 3000; round += 1) {
      const text = `a${Array.from({ length: 1 + random(12) }, () => signs[random(signs.length)]).join('')}b`
      expect(shown(escapeMarkdown(text)), text).toBe(text)
    }
  })
})

describe('mention', () => {
  test('mentions members, groups and roles', () => {
    expect(mention({ id: ADA })).toBe(`<@${ADA}>`)
    expect([mention(ADA), mention('everyone')]).toEqual([`<@${ADA}>`, '<@everyone>'])
    expect([mentionRole(ADA), mentionRole({ id: ADA })]).toEqual([`<@&${ADA}>`, `<@&${ADA}>`])
    expect(shown(mention(ADA))).toBeUndefined()
  })
})
