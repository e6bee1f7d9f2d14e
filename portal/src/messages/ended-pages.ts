import { leaveDraftsOf, PAGE_ID } from '#drafts/written-drafts.ts'

const LOCK = 'portico.page '
let isHeld = false

/**
 * Finds the drafts of pages that ended without leaving them, as in a crash: a page holds a lock for as long as it lives.
 * Without locks, in a portal without https, the draft of another tab may appear here too. It is never lost.
 */
export async function findLeftDrafts(): Promise<void> {
  const { locks } = navigator as { locks?: LockManager }
  if (!isHeld) void locks?.request(LOCK + PAGE_ID, () => new Promise(() => undefined))
  isHeld = true
  const { held = [] } = (await locks?.query()) ?? {}
  const alive = new Set([LOCK + PAGE_ID, ...held.map(({ name }) => name)])
  leaveDraftsOf((pageId) => !alive.has(LOCK + pageId))
}
