import { expect, test } from 'vitest'
import { isEmojiOnly } from './emoji-only.ts'

test.each(['🙂', '👍🏽', '👩‍👩‍👧 🇫🇷', '1️⃣', '❤️ ❤️❤️', ' 🎉 '])('recognizes %j as a few emoji', (text) => {
  expect(isEmojiOnly(text)).toBe(true)
})

test.each(['', 'hello', 'привет', '1', '#', '©', '🙂 hello', '🙂🙂🙂🙂🙂🙂', '🙂\n\n🙂'])(
  'does not take %j for a few emoji',
  (text) => {
    expect(isEmojiOnly(text)).toBe(false)
  },
)
