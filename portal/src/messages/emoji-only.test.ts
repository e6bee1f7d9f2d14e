import { expect, test } from 'vitest'
import { isEmojiOnly } from './emoji-only.ts'

test.each(['🙂', '👍🏽', '👩‍👩‍👧 🇫🇷', '1️⃣', '❤️ ❤️❤️', ' 🎉 '])('recognises %j as a few emoji', (text) => {
  expect(isEmojiOnly(text)).toBe(true)
})

test.each(['', 'hello', 'привет', '1', '#', '©', '🙂 hello', '🙂🙂🙂🙂🙂🙂', '🙂\n\n🙂'])(
  '%j is more, or less',
  (text) => {
    expect(isEmojiOnly(text)).toBe(false)
  },
)
