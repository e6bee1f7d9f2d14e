import { expect, test } from 'vitest'
import { isFewEmoji } from './emoji-only.ts'

test.each(['🙂', '👍🏽', '👩‍👩‍👧 🇫🇷', '1️⃣', '❤️ ❤️❤️', ' 🎉 '])('%j is nothing but a few emoji', (text) => {
  expect(isFewEmoji(text)).toBe(true)
})

test.each(['', 'hello', 'привет', '1', '#', '©', '🙂 hello', '🙂🙂🙂🙂🙂🙂', '🙂\n\n🙂'])(
  '%j is more, or less',
  (text) => {
    expect(isFewEmoji(text)).toBe(false)
  },
)
