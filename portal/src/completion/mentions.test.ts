import { expect, test } from 'vitest'
import { byName, nameToMention, rewrite, withEmoji } from './mentions.ts'

const ids = new Map([
  ['Ada', 'a'],
  ['Ada Novak', 'an'],
  ['Дарья', 'd'],
  ['C++ (bot)', 'c'],
  ['everyone', 'everyone'],
  ['Night shift', '&n'],
])

test.each([
  ['@Ada Novak, look', '<@an>, look'],
  ['@Ada: look', '<@a>: look'],
  ['@ada novak and @ДАРЬЯ', '<@an> and <@d>'],
  ['@Ada’s, (@Ada)', '<@a>’s, (<@a>)'],
  ['и @Дарья', 'и <@d>'],
  ['ask @C++ (bot)!', 'ask <@c>!'],
  ['@Adam is another', '@Adam is another'],
  ['mail x@Ada', 'mail x@Ada'],
  ['`@Ada` in code', '`@Ada` in code'],
  ['```\n@Ada\n``` @Ada', '```\n@Ada\n``` <@a>'],
  ['nobody @Zed', 'nobody @Zed'],
  ['@everyone, @Night shift', '<@everyone>, <@&n>'],
  ['![from @Ada](/files/a-@Ada.png) @Ada', '![from @Ada](/files/a-@Ada.png) <@a>'],
])('%j is sent as %j', (text, sent) => {
  expect(nameToMention(text, ids)).toBe(sent)
})

test.each([
  ['see #general, please', 'see <general>, please'],
  ['see #general-talk', 'see #general-talk'],
  ['see #general - now', 'see <general> - now'],
  ['see #generals', 'see #generals'],
  ['see #General', 'see <general>'],
  ['[#general](https://x)', '[#general](https://x)'],
  ['https://x/#general', 'https://x/#general'],
])('with a room of that name %j is sent as %j', (text, sent) => {
  expect(rewrite(text, '#', byName([{ id: 'g', name: 'general' }]), ({ name }) => `<${name}>`)).toBe(sent)
})

test.each([
  ['done :tada:', 'done 🎉'],
  [':tada::TADA:', '🎉🎉'],
  ['(:tada:)', '(🎉)'],
  ['`:tada:` and ```\n:tada:\n```', '`:tada:` and ```\n:tada:\n```'],
  ['std:tada:x', 'std:tada:x'],
  [':unknown: at 12:30:45', ':unknown: at 12:30:45'],
])('with that emoji %j is sent as %j', (text, sent) => {
  expect(withEmoji(text, new Map([['tada', '🎉']]))).toBe(sent)
})
