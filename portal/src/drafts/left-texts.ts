import { draftKeys, draftOf, editIn, readDrafts, replyIn, sentIn, writeDrafts } from './drafts.svelte.ts'

/** The texts that were being written in a room: changes of messages, messages that were being sent, and a new one. */
export function textsLeftIn(roomId: string): string[] {
  const edits = draftKeys(roomId).filter((key) => key.startsWith(editIn(roomId, '')))
  return [...edits, sentIn(roomId), roomId].map((key) => draftOf(key))
}

/** Removes all that was being written in a room. */
export function discardTextsIn(roomId: string): void {
  const kept = readDrafts()
  for (const key of [...draftKeys(roomId), replyIn(roomId)]) delete kept[key]
  writeDrafts(kept)
}
