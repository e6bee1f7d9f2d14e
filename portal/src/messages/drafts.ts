import { isStrings, recall, remember } from '#local-storage.ts'

/** What was written in rooms and not sent, kept in this browser. */
export function draftOf(roomId: string): string {
  return recall('drafts', isStrings)?.[roomId] ?? ''
}

export function keepDraft(roomId: string, text: string): void {
  const { [roomId]: _, ...others } = recall('drafts', isStrings) ?? {}
  remember('drafts', text.trim() === '' ? others : { ...others, [roomId]: text })
}
