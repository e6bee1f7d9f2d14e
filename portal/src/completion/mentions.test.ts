import { expect, test } from 'vitest'
import { nameToMention } from './mentions.ts'

const ids = new Map([
  ['Ada', 'a'],
  ['Ada Novak', 'an'],
  ['Дарья', 'd'],
  ['C++ (bot)', 'c'],
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
])('%j is sent as %j', (text, sent) => {
  expect(nameToMention(text, ids)).toBe(sent)
})
