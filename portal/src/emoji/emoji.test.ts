import { expect, test } from 'vitest'
import { EMOJI, EMOJI_GROUPS } from './emoji-data.ts'
import { findEmoji } from './find-emoji.ts'
import { SKIN_TONES, withSkinTone } from './skin-tone.ts'

test('has every group, and only emoji that are allowed as reactions', () => {
  expect(new Set(EMOJI.map(({ group }) => group))).toEqual(new Set(EMOJI_GROUPS))
  expect(EMOJI.filter(({ emoji }) => !/^\p{RGI_Emoji}$/v.test(emoji))).toEqual([])
  expect(EMOJI.filter(({ names }) => names.length === 0 || names.some((name) => /\s/.test(name)))).toEqual([])
})

test.each([
  ['thumbs up', '👍'],
  ['+1', '👍'],
  ['большой палец вверх', '👍'],
  ['tada', '🎉'],
  ['сердце', '❤️'],
  ['Rocket', '🚀'],
  ['ракета', '🚀'],
])('finds by %j among the first %s', (typed, emoji) => {
  expect(
    findEmoji(EMOJI, typed)
      .slice(0, 12)
      .map((one) => one.emoji),
  ).toContain(emoji)
})

test('finds nothing for an empty search', () => {
  expect(findEmoji(EMOJI, '  ')).toEqual([])
  expect(findEmoji(EMOJI, 'qqqqq')).toEqual([])
})

test.each([
  ['👍', '🏽', '👍🏽'],
  ['✌️', '🏿', '✌🏿'],
  ['👩‍💻', '🏻', '👩🏻‍💻'],
  ['👍', '', '👍'],
  ['🎉', '🏽', '🎉'],
  ['👨‍👩‍👧', '🏽', '👨‍👩‍👧'],
] as const)('%s in the tone %j is %s', (emoji, tone, toned) => {
  expect(withSkinTone(emoji, tone)).toBe(toned)
})

test('every emoji in every skin tone is allowed as a reaction', () => {
  const toned = EMOJI.flatMap(({ emoji }) => SKIN_TONES.map((tone) => withSkinTone(emoji, tone)))
  expect(toned.filter((emoji) => !/^\p{RGI_Emoji}$/v.test(emoji))).toEqual([])
})
