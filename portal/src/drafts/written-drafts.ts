import { isSignedIn } from '#storage/stored-account.ts'
import { draftOf, joined, keepDraft, readDrafts, sentIn, writeDrafts } from './drafts.svelte.ts'

/** This page. Two tabs may be writing in the same room, and neither may overwrite what the other one has. */
export const PAGE_ID = Math.random().toString(36).slice(2)
const OF_PAGE = ' on page '

/** Where the text is kept that is being written in a room on this page. */
function writtenIn(roomId: string): string {
  return roomId + OF_PAGE + PAGE_ID
}

/** A page was closed before it had stored what was sent: that becomes part of the draft again. */
export function restoreSent(accountId: string, roomId: string): void {
  const { [sentIn(roomId)]: sent, ...others } = readDrafts()
  if (sent !== undefined && isSignedIn(accountId))
    writeDrafts({ ...others, [roomId]: joined([sent, others[roomId] ?? '']) })
}

/** Stores the text that is being written on this page. */
export function keepWritten(accountId: string, roomId: string, text: string): void {
  keepDraft(accountId, writtenIn(roomId), [text])
}

/** The text that other pages have left in a room. From now on it belongs to this page. */
export function takeDraft(accountId: string, roomId: string): string {
  const left = draftOf(roomId)
  if (left === '' || !isSignedIn(accountId)) return ''
  const { [roomId]: _, ...others } = readDrafts()
  const own = writtenIn(roomId)
  writeDrafts({ ...others, [own]: joined([left, others[own] ?? '']) })
  return left
}

/** Leaves the text to the page that opens the room next. */
export function leaveDraft(accountId: string, roomId: string): void {
  if (isSignedIn(accountId)) leave((key) => key === writtenIn(roomId))
}

/** Leaves the texts of pages that have ended without doing so. */
export function leaveDraftsOf(hasEnded: (pageId: string) => boolean): void {
  leave((key) => key.includes(OF_PAGE) && hasEnded(key.slice(key.indexOf(OF_PAGE) + OF_PAGE.length)))
}

function leave(isLeft: (key: string) => boolean): void {
  const kept = readDrafts()
  const left = Object.keys(kept).filter(isLeft)
  if (left.length === 0) return
  for (const key of left) {
    const roomId = key.slice(0, key.indexOf(OF_PAGE))
    kept[roomId] = joined([kept[roomId] ?? '', kept[key] ?? ''])
    delete kept[key]
  }
  writeDrafts(kept)
}
