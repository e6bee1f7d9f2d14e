import { describe, expect, test } from 'vitest'
import { parseCommand } from './parse-command.ts'
import { stripFormatting } from './strip-formatting.ts'

describe('stripFormatting', () => {
  test.each([
    ['**yes**', 'yes'],
    ['*yes*', 'yes'],
    ['***yes***', 'yes'],
    ['~~**yes**~~', 'yes'],
    ['`yes`', 'yes'],
    [' _yes_ ', 'yes'],
    ['_my_name_', 'my_name'],
    ['*a* and *b*', '*a* and *b*'],
    ['_a_ and _b_', '_a_ and _b_'],
    ['snake_case', 'snake_case'],
    ['~ada~', '~ada~'],
    ['_ada', '_ada'],
    ['**', '**'],
    ['****', '****'],
    ['', ''],
  ])('turns %s into %s', (text, stripped) => {
    expect(stripFormatting(text)).toBe(stripped)
  })
})

describe('parseCommand', () => {
  test.each([
    ['/deploy api 1.2', '/deploy', ['api', '1.2']],
    ['/Deploy', '/deploy', []],
    ['  /deploy\n api  ', '/deploy', ['api']],
    ['**/deploy api**', '/deploy', ['api']],
    ['**/deploy** `api`', '/deploy', ['api']],
    ['/deploy **api** _latest_', '/deploy', ['api', 'latest']],
    ['/say "two words" \'and more\'', '/say', ['two words', 'and more']],
    ['/say “two words” «и ещё»', '/say', ['two words', 'и ещё']],
    [String.raw`/say "a \"quote\""`, '/say', ['a "quote"']],
    ['/say "unclosed quote', '/say', ['"unclosed', 'quote']],
    ['/say it\'s "" fine', '/say', ["it's", '', 'fine']],
    ['/погода Тверь', '/погода', ['Тверь']],
    ['/ban _ada_lovelace', '/ban', ['_ada_lovelace']],
  ])('takes %s apart', (text, name, args) => {
    expect(parseCommand(text)).toMatchObject({ name, args })
  })

  test.each(['hello', '', '/', '/ deploy', 'see /deploy', '/usr/bin', '//comment', '*/deploy', 'https://a/b'])(
    'finds no command in %j',
    (text) => {
      expect(parseCommand(text)).toBeUndefined()
    },
  )

  test('keeps the text after the name as it was typed', () => {
    expect(parseCommand('/say  **two**  words ')?.rest).toBe('**two**  words')
  })
})
