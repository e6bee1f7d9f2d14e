import { readStored, writeStored } from '#local-storage.ts'

const MAX_RECENT = 24
const USUAL = ['👍', '❤️', '😂', '🎉', '👀', '🙏', '🔥', '✅']

function isList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}

/** The emoji used in this browser, most recent first; initially common ones. */
export function recentEmoji(): string[] {
  return readStored('emoji', isList) ?? USUAL
}

export function rememberEmoji(emoji: string): void {
  writeStored('emoji', [emoji, ...recentEmoji().filter((one) => one !== emoji)].slice(0, MAX_RECENT))
}
