import { openCopyWith } from '#api/session.ts'
import { findCopiesWith } from '#messages/conversations.svelte.ts'

/** Lets pages that can't reach the server show what was last read in this browser. */
export function showOfflineCopies(): void {
  const load = () => import('#offline/open-copy.ts')
  openCopyWith(async (client) => (await load()).openCopy(client))
  findCopiesWith(async (roomId) => (await load()).copiedPage(roomId))
}
