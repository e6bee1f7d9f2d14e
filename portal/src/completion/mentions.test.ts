import { expect, test } from 'vitest'
import { nameToMention, rewrite } from './mentions.ts'

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
  ['и @Дарья', 'и <@d>'],
  ['ask @C++ (bot)!', 'ask <@c>!'],
  ['@Adam is another', '@Adam is another'],
  ['mail x@Ada', 'mail x@Ada'],
  ['`@Ada` in code', '`@Ada` in code'],
  ['```\n@Ada\n``` @Ada', '```\n@Ada\n``` <@a>'],
  ['nobody @Zed', 'nobody @Zed'],
  ['@everyone, @Night shift', '<@everyone>, <@&n>'],
])('%j is sent as %j', (text, sent) => {
  expect(nameToMention(text, ids)).toBe(sent)
})

test.each([
  ['see #general, please', 'see <general>, please'],
  ['see #general-talk', 'see #general-talk'],
  ['see #general - now', 'see <general> - now'],
  ['see #generals', 'see #generals'],
  ['[#general](https://x)', '[#general](https://x)'],
  ['https://x/#general', 'https://x/#general'],
])('with a room of that name %j is sent as %j', (text, sent) => {
  expect(rewrite(text, '#', new Map([['general', 'g']]), (name) => `<${name}>`)).toBe(sent)
})
