import type { Composing } from '#completion/composing.svelte.ts'
import { draftOf, joined, keepDraft, replyIn } from '#drafts/drafts.svelte.ts'
import { findLeftDrafts } from './ended-pages.ts'
import type { Quoted } from '#drafts/quoted.ts'
import { keepWritten, leaveDraft, takeDraft } from '#drafts/written-drafts.ts'

/**
 * Continues what was being written in a room, and keeps it from now on: the text, and the message that it answers. Called
 * when the composer is created.
 */
export function keepWriting(composing: Composing, myId: string, roomId: string): void {
  composing.text = joined([takeDraft(myId, roomId), composing.text])
  composing.replyTo ??= parseReply(draftOf(replyIn(roomId)))
  $effect(() => keepWritten(myId, roomId, joined([composing.waiting?.text ?? '', composing.text])))
  $effect(() => {
    const replyTo = composing.replyTo ?? composing.waiting?.replyTo
    keepDraft(myId, replyIn(roomId), replyTo ? [JSON.stringify(replyTo)] : [])
  })
  $effect(() => {
    let isOpen = true
    const leave = (): void => leaveDraft(myId, roomId)
    /** A page that comes back from the browser's cache may find that another one has continued the text. */
    const comeBack = ({ persisted }: PageTransitionEvent): void => {
      if (!persisted) return
      composing.waiting = undefined
      composing.text = takeDraft(myId, roomId)
    }
    addEventListener('pagehide', leave)
    addEventListener('pageshow', comeBack)
    const takeLeft = async (): Promise<void> => {
      await findLeftDrafts()
      if (isOpen) composing.text = joined([takeDraft(myId, roomId), composing.text])
    }
    takeLeft().catch(() => undefined)
    return () => {
      isOpen = false
      removeEventListener('pagehide', leave)
      removeEventListener('pageshow', comeBack)
      leave()
    }
  })
}

function parseReply(stored: string): Quoted | undefined {
  try {
    return stored === '' ? undefined : (JSON.parse(stored) as Quoted)
  } catch {
    return undefined
  }
}
