import { readStored, writeStored } from '#storage/local-storage.ts'

const MAX_RECENT = 24

function isList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}

/** The emoji used in this browser, most recent first, without skin tones. */
export function recentEmoji(): string[] {
  return readStored('emoji', isList) ?? []
}

export function rememberEmoji(emoji: string): void {
  writeStored('emoji', [emoji, ...recentEmoji().filter((one) => one !== emoji)].slice(0, MAX_RECENT))
}
