import { isStrings, readStored, writeStored } from '#local-storage.ts'

let drafts = $state.raw(readDrafts())

/** Unsent text by room, stored in this browser. */
export function draftOf(roomId: string): string {
  // Only the signal that they have changed: someone else may have signed in since, and what was stored is gone.
  void drafts
  return readDrafts()[roomId] ?? ''
}

/** Stores the parts of a draft that aren't blank, each on a line of its own. */
export function keepDraft(roomId: string, parts: readonly string[]): void {
  const { [roomId]: _, ...others } = readDrafts()
  // An effect calls this, which must not depend on what it changes.
  const text = parts.filter((part) => part.trim() !== '').join('\n')
  const kept = text === '' ? others : { ...others, [roomId]: text }
  writeStored('drafts', kept)
  drafts = kept
}

function readDrafts(): Record<string, string> {
  return readStored('drafts', isStrings) ?? {}
}
