import { isStrings, readStored, writeStored } from '#local-storage.ts'

/** Unsent text by room, stored in this browser. */
export function draftOf(roomId: string): string {
  return readStored('drafts', isStrings)?.[roomId] ?? ''
}

export function keepDraft(roomId: string, text: string): void {
  const { [roomId]: _, ...others } = readStored('drafts', isStrings) ?? {}
  writeStored('drafts', text.trim() === '' ? others : { ...others, [roomId]: text })
}
