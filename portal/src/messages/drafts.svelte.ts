import { isStrings, readStored, writeStored } from '#local-storage.ts'

let drafts = $state.raw(readDrafts())

/** Unsent text by room, stored in this browser. */
export function draftOf(roomId: string): string {
  return drafts[roomId] ?? ''
}

export function keepDraft(roomId: string, text: string): void {
  const { [roomId]: _, ...others } = readDrafts()
  // An effect calls this, which must not depend on what it changes.
  const kept = text.trim() === '' ? others : { ...others, [roomId]: text }
  writeStored('drafts', kept)
  drafts = kept
}

function readDrafts(): Record<string, string> {
  return readStored('drafts', isStrings) ?? {}
}
