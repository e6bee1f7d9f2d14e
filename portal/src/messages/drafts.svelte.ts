import { isSignedIn } from '#accounts/stored-account.ts'
import { isStrings, readStored, writeStored } from '#local-storage.ts'

let drafts = $state.raw(readDrafts())

/** Unsent text by room, and the names of attached files, stored in this browser. */
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

/** Whether something is being written in a room: a text, or a message with files. */
export function hasDraft(roomId: string): boolean {
  return [roomId, filesIn(roomId), sentIn(roomId)].some((key) => draftOf(key) !== '')
}

/** A page was closed before it had stored what was sent: that becomes part of the draft again. */
export function restoreSent(accountId: string, roomId: string): void {
  const { [sentIn(roomId)]: sent, ...others } = readDrafts()
  if (sent !== undefined && isSignedIn(accountId)) write({ ...others, [roomId]: joined([sent, others[roomId] ?? '']) })
}

/** Stores the parts of a draft that aren't blank, each on a line of its own. Never among those of another account. */
export function keepDraft(accountId: string, roomId: string, parts: readonly string[]): void {
  if (!isSignedIn(accountId)) return
  const { [roomId]: _, ...others } = readDrafts()
  // An effect calls this, which must not depend on what it changes.
  const text = joined(parts)
  write(text === '' ? others : { ...others, [roomId]: text })
}

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part.trim() !== '').join('\n')
}

function write(kept: Record<string, string>): void {
  writeStored('drafts', kept)
  drafts = kept
}

function readDrafts(): Record<string, string> {
  return readStored('drafts', isStrings) ?? {}
}
