import { isSignedIn } from '#storage/stored-account.ts'
import { isStrings, readStored, writeStored } from '#storage/local-storage.ts'

let drafts = $state.raw(readDrafts())

/** Unsent text by room, and what else belongs to a message being written, stored in this browser. */
export function draftOf(roomId: string): string {
  // Only the signal that they have changed: someone else may have signed in since, and what was stored is gone.
  void drafts
  return readDrafts()[roomId] ?? ''
}

/** Where the names of the files are kept that are attached in a room. */
export function filesIn(roomId: string): string {
  return `files in ${roomId}`
}

/** Where the texts are kept that were sent in a room and would still be lost with the page. */
export function sentIn(roomId: string): string {
  return `sent in ${roomId}`
}

/** Where the message is kept that is being answered in a room. */
export function replyIn(roomId: string): string {
  return `reply in ${roomId}`
}

/** Where the text is kept that a message is being changed to. */
export function editIn(roomId: string, messageId: string): string {
  return `edit in ${roomId} of ${messageId}`
}

/** The message in a room whose text is being changed. */
export function editedIn(roomId: string): string | undefined {
  const begin = editIn(roomId, '')
  return Object.keys(readDrafts())
    .findLast((key) => key.startsWith(begin))
    ?.slice(begin.length)
}

/** Whether something is being written in a room: a text, a message with files, or a change. */
export function hasDraft(roomId: string): boolean {
  void drafts
  return draftKeys(roomId).length > 0
}

/** Under which names that is stored. All of them contain the id. */
export function draftKeys(roomId: string): string[] {
  return Object.keys(readDrafts()).filter((key) => key.includes(roomId) && key !== replyIn(roomId))
}

/** Stores the parts of a draft that aren't blank, each on a line of its own. Never among those of another account. */
export function keepDraft(accountId: string, roomId: string, parts: readonly string[]): void {
  if (!isSignedIn(accountId)) return
  const { [roomId]: _, ...others } = readDrafts()
  // An effect calls this, which must not depend on what it changes.
  const text = joined(parts)
  writeDrafts(text === '' ? others : { ...others, [roomId]: text })
}

/** Both parts, each on lines of its own, without those that are blank. */
export function joined(parts: readonly string[]): string {
  return parts.filter((part) => part.trim() !== '').join('\n')
}

/** Replaces all drafts. */
export function writeDrafts(kept: Record<string, string>): void {
  writeStored('drafts', kept)
  drafts = kept
}

export function readDrafts(): Record<string, string> {
  return readStored('drafts', isStrings) ?? {}
}
